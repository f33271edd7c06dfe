"""The README's table of settings, and the example file, say what the code reads: every setting, and nothing else."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

from spark_jobs.settings import OPEN_TABLES, SETTINGS, Cluster, load

PROJECT = Path(__file__).parents[2]
EXAMPLE = PROJECT / "lagoon.example.toml"

_OPEN_TABLES = set(OPEN_TABLES)


def told_in_the_readme() -> dict[str, tuple[str, str]]:
    """Default and variable of each setting, as the table under `## Settings` has them."""
    section = (PROJECT / "README.md").read_text("utf-8").partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \|", section, re.MULTILINE)
    assert rows
    return {name: (default.strip(), variable.strip()) for name, default, variable in rows}


def shown(default: object) -> str:
    """As the table writes a default."""
    return "none" if default in ("", None, ()) else f"`{default}`"


def test_the_readme_tells_every_setting_with_its_default_and_its_variable() -> None:
    told = told_in_the_readme()
    scalar = {name: row for name, row in told.items() if name not in _OPEN_TABLES and not name.startswith("clusters.")}

    assert scalar == {s.name: (shown(s.default), f"`{s.variable}`") for s in SETTINGS}


def test_the_readme_tells_everything_that_can_be_said_of_a_cluster() -> None:
    told = {name: row[0] for name, row in told_in_the_readme().items() if name.startswith("clusters.")}

    assert told == {f"clusters.<name>.{field.name}": shown(field.default) for field in fields(Cluster)}


def test_the_readme_tells_the_tables_whose_keys_a_site_chooses() -> None:
    assert set(told_in_the_readme()) >= _OPEN_TABLES


def test_the_example_file_shows_the_tables_whose_keys_a_site_chooses() -> None:
    document = tomllib.loads(EXAMPLE.read_text("utf-8"))
    shown = {f"{s}.{key}" for s in document if s != "clusters" for key, of in document[s].items() if type(of) is dict}

    assert shown == _OPEN_TABLES


def test_what_the_example_file_shows_as_a_comment_can_be_set_as_it_stands(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    commented = [line for line in lines if re.match(r'# ["\w.-]+ = ', line)]
    file = tmp_path / "lagoon.toml"
    file.write_text("\n".join(line.removeprefix("# ") if line in commented else line for line in lines))

    loaded = load(file=str(file), environment={})
    assert len(commented) >= len(_OPEN_TABLES)
    assert loaded.log_patterns
    assert loaded.metric_names.metrics
    assert loaded.metric_names.labels


def test_the_variables_that_are_no_setting_are_told_too() -> None:
    readme = (PROJECT / "README.md").read_text("utf-8")

    assert "`LAGOON_CONFIG`" in readme
    assert "`LAGOON_DEBUG`" in readme


def test_the_example_file_holds_the_defaults() -> None:
    loaded = load(file=str(EXAMPLE), environment={})
    document = tomllib.loads(EXAMPLE.read_text("utf-8"))
    written = {f"{s}.{key}" for s in document for key in document[s] if not isinstance(document[s][key], dict)}

    assert written == {setting.name for setting in SETTINGS}
    for setting in SETTINGS:
        if setting.name in ("lagoon.landing", "lagoon.lake"):
            continue  # meant from the folder of the file
        assert loaded.values[setting.name] == setting.default, setting.name
    assert Path(loaded.lake) == PROJECT / "lake"
    assert {key for cluster in document["clusters"].values() for key in cluster} == set(Cluster.__dataclass_fields__)
