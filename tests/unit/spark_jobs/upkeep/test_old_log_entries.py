"""Delta logs are shortened, and every version of the window can still be read."""

import datetime as dt
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folder
from spark_jobs.upkeep.old_log_entries import old_log_entries
from spark_jobs.upkeep.upkeep_steps import steps_for_table

COMMITS = 26
# deltalake would shorten the log by itself: the times of its commits are made up and long ago.
_AS_IT_IS: dict[str, str | None] = {"delta.enableExpiredLogCleanup": "false"}
FIRST = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table with a commit a day, each of which replaces its row, and a checkpoint every ten commits, as Spark writes them."""
    table = tmp_path / "table"
    for number in range(COMMITS):
        write_deltalake(table, pa.table({"number": [number]}), mode="overwrite", configuration=_AS_IT_IS)
        if number % 10 == 0 and number:
            DeltaTable(table).create_checkpoint()
        at = (FIRST + dt.timedelta(number)).timestamp()
        for path in table.rglob("*"):
            if path.is_file() and path.stat().st_mtime > at + 1:
                os.utime(path, (at, at))
    return table


def versions(table: Path) -> dict[int, list[int]]:
    """The rows of each version that can be read."""
    found = {}
    for version in range(COMMITS):
        try:
            found[version] = DeltaTable(table, version=version).to_pyarrow_table()["number"].to_pylist()
        except Exception:
            continue
    return found


def days_later(days: float) -> dt.datetime:
    return FIRST + dt.timedelta(days)


def test_versions_of_the_window_are_read_after_upkeep(folder: Path) -> None:
    for step in steps_for_table(open_folder("silver.table", LocalFolder(folder)), {}, {}, days_later(15.5)):
        step.act()
    # 15 is the version in force when the window begins.
    expected = {version: [version] for version in range(15, COMMITS)}
    assert {version: rows for version, rows in versions(folder).items() if version >= 15} == expected
    assert sorted(path.name for path in (folder / "_delta_log").glob("*.json"))[0] == f"{10:020}.json"
    table = DeltaTable(folder)
    table.load_as_version(days_later(15.5))
    assert table.version() == 15


@pytest.mark.parametrize("days", [-1, 0.5, 9.5])
def test_a_log_without_a_checkpoint_before_the_window_stays(folder: Path, days: float) -> None:
    assert old_log_entries(open_folder("silver.table", LocalFolder(folder)), days_later(days)) == []


def test_a_checkpoint_that_is_damaged_is_none(folder: Path) -> None:
    damaged = folder / "_delta_log" / f"{10:020}.checkpoint.parquet"
    damaged.write_bytes(damaged.read_bytes()[:100])
    assert old_log_entries(open_folder("silver.table", LocalFolder(folder)), days_later(15.5)) == []


def test_a_copied_log_whose_commits_are_all_new_stays(folder: Path) -> None:
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied, copy_function=shutil.copyfile)
    assert old_log_entries(open_folder("silver.table", LocalFolder(copied)), days_later(15.5)) == []


@pytest.mark.parametrize("done", range(0, 10, 3))
def test_killed_half_way_the_window_can_be_read_and_the_rest_goes_the_next_time(folder: Path, done: int) -> None:
    entries = old_log_entries(open_folder("silver.table", LocalFolder(folder)), days_later(15.5))
    assert len(entries) >= 10
    LocalFolder(folder).delete(entry.path for entry in entries[:done])
    assert {version: [version] for version in range(15, COMMITS)}.items() <= versions(folder).items()
    assert old_log_entries(open_folder("silver.table", LocalFolder(folder)), days_later(15.5)) == entries[done:]
