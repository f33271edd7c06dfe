"""What is written later is newer, also if the clock of the machine was set back, or that of another machine is ahead."""

import datetime as dt
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.lake import catalog, ledger
from spark_jobs.lake.ledger import Entry, Run
from spark_jobs.lake.ledger_clock import LedgerClock
from spark_jobs.lake.ledger_folder import append_entries, newest_in
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folders
from spark_jobs.lake.tables import Lake

TOMORROW = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(1)
DAY = dt.date(2026, 1, 1)


def test_time_goes_on_from_what_was_read() -> None:
    clock = LedgerClock()
    first = clock.now()
    clock.not_before(TOMORROW)
    second, third = clock.now(), clock.now()
    assert first < TOMORROW < second < third < TOMORROW + dt.timedelta(seconds=1)
    clock.not_before(first)
    assert third < clock.now()


def test_runs_have_names_in_the_order_in_which_they_began() -> None:
    clock = LedgerClock()
    clock.not_before(TOMORROW)
    runs = []
    for _ in range(3):
        runs.append(Run.begin(clock).run_id)
        # Another process reads what this one has written.
        written, clock = clock.now(), LedgerClock()
        clock.not_before(written)
    assert runs == sorted(runs)
    assert len({run.partition("-")[0] for run in runs}) == 3


def test_an_entry_replaces_one_of_tomorrow(spark: SparkSession, tmp_path: Path) -> None:
    def write(inputs: int, clock: LedgerClock | None = None) -> None:
        """As a process that reads the ledger and then writes it. `clock` is that of its machine."""
        lake = Lake(spark, str(tmp_path), clock=clock or LedgerClock())
        ledger.newest(lake, "bronze")
        run, at = Run.begin(lake.clock), lake.clock.now()
        ledger.write(lake, run, [Entry("c", "bronze", DAY, "t", at, at, inputs=inputs)])

    lake = catalog.open_to_write(spark, str(tmp_path))
    write(1, LedgerClock(TOMORROW))
    write(2)
    assert [entry.inputs for entry in ledger.newest(lake, "bronze").values()] == [2]

    runs, now = open_folders(LocalFolder(tmp_path))["quality.runs"], dt.datetime.now(dt.UTC)
    for inputs in (3, 4):
        runs = append_entries(runs, [Entry("c", "bronze", DAY, "t", now, now, inputs=inputs)])
        assert [entry.inputs for entry in ledger.newest(lake, "bronze").values()] == [inputs]
    write(5)
    runs = open_folders(LocalFolder(tmp_path))["quality.runs"]
    assert [entry.inputs for entry in newest_in(runs, "bronze").values()] == [5]
