"""Landing and lake in an object store: every command, and the same tables as in folders of this machine."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.object_store import ObjectStore
from support.store_fixture import object_store, store_access
from support.stored_lakes import objects_containing, stored_folder
from support.stored_landing import upload
from support.stored_tables import tables

from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.dashboard.panels import pages, parameters_of
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess

__all__ = ["object_store", "store_access"]

pytestmark = pytest.mark.slow

DAY = "2026-11-18"
GROUP = "rates-report"


@dataclass(frozen=True)
class StoredLake:
    """A lake that `lagoon run` has built in the store, and what it printed."""

    uri: str
    landing: str
    store: ObjectStore
    printed: str

    def lagoon(self, *words: str, code: int = 0) -> str:
        done = lagoon(*words, "--lake", self.uri, environment=self.store.environment())
        assert done.returncode == code, done.stderr
        return done.stdout


def lagoon(*words: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    without = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "LAGOON_"))}
    return subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", *words],
        env={**without, **environment, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def stored_lake(object_store: ObjectStore, small_landing: Path) -> StoredLake:
    landing, lake = upload(object_store, small_landing, "landing"), object_store.uri("lake")
    done = lagoon("run", "--landing", landing, "--lake", lake, environment=object_store.environment())
    assert done.returncode in (0, 1), done.stderr
    return StoredLake(lake, landing, object_store, done.stdout + done.stderr)


def test_the_tables_are_those_of_a_run_on_folders(
    stored_lake: StoredLake, small_landing: Path, store_access: StoreAccess, tmp_path: Path
) -> None:
    local = tmp_path / "lake"
    done = lagoon("run", "--landing", str(small_landing), "--lake", str(local), environment={})
    assert done.returncode in (0, 1), done.stderr

    expected = tables(str(local), {}, local)
    found = tables(stored_lake.uri, delta_options(stored_lake.uri, store_access), stored_lake.store.path("lake"))

    assert len(expected) > 40
    assert sum(map(len, expected.values())) > 5_000
    assert list(found) == list(expected)
    for name, rows in expected.items():
        assert found[name] == rows, name


def test_a_second_run_has_nothing_to_do_and_starts_no_spark(stored_lake: StoredLake) -> None:
    printed = stored_lake.lagoon("run", "--landing", stored_lake.landing)

    assert "Nothing new: the lake already holds everything in landing." in printed
    assert "Spark" not in printed


def test_every_reading_command_answers(stored_lake: StoredLake) -> None:
    query = "select group_id, score from gold.group_health order by group_id limit 3"

    quick = json.loads(stored_lake.lagoon("sql", query, "--engine", "duckdb", "--format", "json"))
    spark = json.loads(stored_lake.lagoon("sql", query, "--engine", "spark", "--format", "json"))

    assert len(quick) == 3
    assert quick == spark
    group = quick[0]["group_id"]
    assert group in stored_lake.lagoon("explain", group)
    assert DAY in stored_lake.lagoon("report")
    assert "<script" in stored_lake.lagoon("report", "--format", "html")
    stored_lake.lagoon("quarantine", "list")
    assert json.loads(stored_lake.lagoon("alerts", "list", "--format", "json"))
    stored_lake.lagoon("alerts", "check")
    stored_lake.lagoon("alert")


def test_the_doctor_tries_whether_the_store_can_be_read_and_written(stored_lake: StoredLake) -> None:
    printed = stored_lake.lagoon("doctor", "--landing", stored_lake.landing)

    assert f"{stored_lake.uri} can be written" in printed
    assert "36 jars, all of the pinned versions" in printed
    assert "of 1 day" in printed
    nobody = {**stored_lake.store.environment(), "AWS_SECRET_ACCESS_KEY": "wrong"}
    done = lagoon("doctor", "--landing", stored_lake.landing, "--lake", stored_lake.uri, environment=nobody)
    assert done.returncode == 3
    assert done.stdout.count("refuses the keys") == 2


def test_every_panel_of_the_dashboards_answers(stored_lake: StoredLake, store_access: StoreAccess) -> None:
    answers = PanelAnswers(stored_lake.uri, "1GB", 60, store_access)
    parameters = parameters_of({"cluster": "recorded", "day": DAY, "group": GROUP, "topic": "rates"})
    panels = [panel for page in pages().values() for panel in page.panels]

    assert len(panels) > 30
    rows = {panel.name: answers.json(panel, parameters)["rows"] for panel in panels}

    assert sum(map(len, rows.values())) > 100


def test_the_report_of_the_day_and_the_data_docs_are_in_the_store(
    stored_lake: StoredLake, store_access: StoreAccess
) -> None:
    lake = ObjectFolder(stored_lake.uri, store_access)

    report, docs = lake.read(f"reports/{DAY}-recorded.html"), lake.read("data_docs/index.html")

    assert report is not None
    assert b"<html" in report.content
    assert f"{stored_lake.uri}/reports/{DAY}-recorded.html" in stored_lake.printed
    assert docs is not None
    site = f"data_docs/{DAY}/cluster=recorded/index.html"
    assert f"{DAY}/cluster%3Drecorded" in docs.content.decode() or f"{DAY}/cluster=recorded" in docs.content.decode()
    assert lake.read(site) is not None


def test_the_keys_are_nowhere(stored_lake: StoredLake) -> None:
    texts = {"what was printed": stored_lake.printed.encode()}
    for file in stored_lake.store.path("lake").rglob("*"):
        if file.is_file():
            texts[str(file)] = file.read_bytes()

    assert any("logs/" in name for name in texts)
    for name, text in texts.items():
        assert not any(secret.encode() in text for secret in stored_lake.store.secrets), name


def test_spark_and_duckdb_read_what_upkeep_has_merged_and_an_erased_group_is_in_no_object(
    stored_lake: StoredLake, store_access: StoreAccess, tmp_path: Path
) -> None:
    lake = stored_folder(stored_lake.store, stored_lake.uri)
    before = tables(stored_lake.uri, delta_options(stored_lake.uri, store_access), stored_lake.store.path("lake"))
    columns = "group_id, happened_at, turn, kind, sentence"
    rest = f"select {columns} from gold.group_story where group_id <> '{GROUP}' order by {columns}"

    assert "gold.group_story: " in stored_lake.lagoon("upkeep", "--dry-run")
    assert "small files merged into" in stored_lake.lagoon("upkeep")
    assert stored_lake.lagoon("upkeep") == "Nothing to do.\n"
    after = tables(stored_lake.uri, delta_options(stored_lake.uri, store_access), stored_lake.store.path("lake"))
    assert after == before

    assert len(objects_containing(lake, GROUP, tmp_path / "before")) > 4
    stories = stored_lake.lagoon("sql", rest, "--engine", "duckdb", "--format", "json")
    assert len(json.loads(stories)) > 10
    stored_lake.lagoon("erase", "--group", GROUP)

    assert objects_containing(lake, GROUP, tmp_path / "after") == []
    for engine in ("duckdb", "spark"):
        assert stored_lake.lagoon("sql", rest, "--engine", engine, "--format", "json") == stories
    assert "Nothing new" in stored_lake.lagoon("run", "--landing", stored_lake.landing)
