"""docs/settings.md, the README's short table and the example file list the settings that the code reads, and no others."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

from spark_jobs.cluster_settings import Cluster
from spark_jobs.settings import OPEN_TABLES, SETTINGS, load

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "settings.md"
README = PROJECT / "README.md"
EXAMPLE = PROJECT / "lagoon.example.toml"

_OPEN_TABLES = set(OPEN_TABLES)


def settings_listed(page: Path) -> dict[str, tuple[str, str]]:
    """Default and environment variable of each setting that a Markdown table on the page lists."""
    rows = re.findall(
        r"^\| `([a-z]+\.[^`]+)` \| ([^|]*) \| ([^|]*) \| [^|]+ \|$", page.read_text("utf-8"), re.MULTILINE
    )
    assert rows
    return {name: (default.strip(), variable.strip()) for name, default, variable in rows}


def as_written(default: object) -> str:
    """A default as the table writes it."""
    return "none" if default in ("", None, ()) else f"`{default}`"


def test_the_page_lists_every_setting_with_its_default_and_its_variable() -> None:
    listed = settings_listed(PAGE)
    scalar = {
        name: row for name, row in listed.items() if name not in _OPEN_TABLES and not name.startswith("clusters.")
    }

    assert scalar == {s.name: (as_written(s.default), f"`{s.variable}`") for s in SETTINGS}


def test_the_page_lists_every_setting_of_a_cluster() -> None:
    listed = {name: row[0] for name, row in settings_listed(PAGE).items() if name.startswith("clusters.")}

    assert listed == {f"clusters.<name>.{field.name}": as_written(field.default) for field in fields(Cluster)}


def test_the_page_lists_the_tables_whose_keys_a_site_chooses() -> None:
    assert set(settings_listed(PAGE)) >= _OPEN_TABLES


def test_the_page_names_the_variables_that_are_no_setting() -> None:
    page = PAGE.read_text("utf-8")

    assert "`LAGOON_CONFIG`" in page
    assert "`LAGOON_DEBUG`" in page


def test_the_readme_repeats_a_few_rows_of_the_page_and_links_to_it() -> None:
    in_readme, on_the_page = settings_listed(README), settings_listed(PAGE)

    assert len(in_readme) < len(on_the_page)
    assert in_readme == {name: on_the_page[name] for name in in_readme}
    assert "(docs/settings.md)" in README.read_text("utf-8")


def test_the_example_file_shows_the_tables_whose_keys_a_site_chooses() -> None:
    document = tomllib.loads(EXAMPLE.read_text("utf-8"))
    tables = {
        f"{section}.{key}"
        for section in document
        if section != "clusters"
        for key, value in document[section].items()
        if type(value) is dict
    }

    assert tables == _OPEN_TABLES


def test_what_the_example_file_shows_as_a_comment_can_be_set_as_it_is(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    commented = [line for line in lines if re.match(r'# ["\w.-]+ = ', line)]
    file = tmp_path / "lagoon.toml"
    file.write_text("\n".join(line.removeprefix("# ") if line in commented else line for line in lines))

    loaded = load(file=str(file), environment={})
    assert len(commented) >= len(_OPEN_TABLES)
    assert loaded.log_patterns
    assert loaded.metric_names.metrics
    assert loaded.metric_names.labels
    assert loaded.alerts.teams["payments"].channels == ("payments-chat",)
    assert loaded.alerts.conditions["lag-of-payments"].records_at_least == 1000


def test_the_example_file_holds_the_defaults() -> None:
    loaded = load(file=str(EXAMPLE), environment={})
    document = tomllib.loads(EXAMPLE.read_text("utf-8"))
    written = {f"{s}.{key}" for s in document for key in document[s] if not isinstance(document[s][key], dict)}

    assert written == {setting.name for setting in SETTINGS}
    for setting in SETTINGS:
        if setting.name in ("lagoon.landing", "lagoon.lake"):
            continue  # relative to the folder of the file
        assert loaded.values[setting.name] == setting.default, setting.name
    assert Path(loaded.lake) == PROJECT / "lake"
    assert {key for cluster in document["clusters"].values() for key in cluster} == set(Cluster.__dataclass_fields__)
