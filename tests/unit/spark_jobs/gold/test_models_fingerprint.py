"""The fingerprint of the gold models changes with what may change rows, and with nothing else."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from spark_jobs.gold.dbt_runner import PROJECT
from spark_jobs.gold.models_fingerprint import models_fingerprint

Edit = Callable[[Path], None]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(PROJECT, tmp_path / "dbt_project")


def append(pattern: str, text: str) -> Edit:
    """Appends to the first file of the project that matches."""

    def edit(project: Path) -> None:
        file = min(project.glob(pattern))
        file.write_text(file.read_text("utf-8") + text, "utf-8")

    return edit


def change(file: str, change_document: Callable[[dict[str, Any]], object]) -> Edit:
    """Changes a parsed YAML file."""

    def edit(project: Path) -> None:
        document = yaml.safe_load((project / file).read_text("utf-8"))
        change_document(document)
        (project / file).write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")

    return edit


def change_model(**values: object) -> Edit:
    return change("models/gold/lag.yml", lambda document: document["models"][0].update(values))


def change_column(**values: object) -> Edit:
    return change("models/gold/lag.yml", lambda document: document["models"][0]["columns"][0].update(values))


def test_a_copy_in_another_folder_has_the_same_fingerprint(project: Path) -> None:
    assert models_fingerprint(project) == models_fingerprint()


HARMLESS = {
    "description of a table": change_model(description="Corrected"),
    "description of a column": change_column(description="Corrected"),
    "test of a table": change_model(data_tests=["another_test"]),
    "test of a column": change_column(data_tests=["unique"]),
    "unit tests": change("models/gold/lag.yml", lambda document: document.pop("unit_tests")),
    "comment in yml": append("models/gold/lag.yml", "\n# A comment.\n"),
    "documentation page": append("models/glossary.md", "\nMore.\n"),
}


@pytest.mark.parametrize("edit", HARMLESS.values(), ids=list(HARMLESS))
def test_what_changes_no_row_keeps_the_fingerprint(project: Path, edit: Edit) -> None:
    edit(project)
    assert models_fingerprint(project) == models_fingerprint()


EFFECTIVE = {
    "model": append("models/gold/lag.sql", "\n-- changed\n"),
    "part of a model": append("models/gold/parts/**/*.sql", "\n-- changed\n"),
    "macro": append("macros/days.sql", "\n{# changed #}\n"),
    "materialization": append("macros/materializations/*.sql", "\n{# changed #}\n"),
    "column type": change_column(data_type="binary"),
    "column name": change_column(name="other"),
    "column constraints": change_column(constraints=[]),
    "column config": change_column(config={"meta": {"any": 1}}),
    "model config": change_model(config={"materialized": "table"}),
    "model meta": change_model(meta={"any": 1}),
    "project config": change("dbt_project.yml", lambda document: document["models"]["lagoon"].clear()),
    "profile": append("profiles.yml", "\nother: {}\n"),
}


@pytest.mark.parametrize("edit", EFFECTIVE.values(), ids=list(EFFECTIVE))
def test_what_may_change_rows_changes_the_fingerprint(project: Path, edit: Edit) -> None:
    edit(project)
    assert models_fingerprint(project) != models_fingerprint()


def test_a_renamed_model_and_a_new_one_change_the_fingerprint(project: Path) -> None:
    before = models_fingerprint(project)
    (project / "models/gold/lag.sql").rename(project / "models/gold/lag_renamed.sql")
    renamed = models_fingerprint(project)
    (project / "models/gold/lag.sql").write_text("select 1", "utf-8")
    assert len({before, renamed, models_fingerprint(project)}) == 3
