"""What `lagoon upkeep` deletes, merges and leaves, on lakes that were written without Spark."""

import datetime as dt
import io
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from rich.console import Console
from support.lake_of_days import append, contents, row_of, write_day

from spark_jobs.errors import UsageError
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folders
from spark_jobs.settings import Settings, load
from spark_jobs.upkeep.keep_lake import find_steps, keep_lake

DAYS = [dt.date(2026, 1, 1) + dt.timedelta(number) for number in range(0, 60, 10)]
NOW = dt.datetime(2026, 3, 2, 5, tzinfo=dt.UTC)
HOSTILE = "a/b 'c' \"d\"%2F=ü"


@pytest.fixture(scope="module")
def lake_of_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("days") / "lake"
    for day in DAYS:
        for cluster in ("eu", HOSTILE):
            write_day(lake, cluster, day)
    (lake / "reports").mkdir()
    for day in DAYS:
        (lake / "reports" / f"{day}-eu.html").write_text("report")
        (lake / "data_docs" / str(day) / "cluster=eu").mkdir(parents=True)
        (lake / "data_docs" / str(day) / "cluster=eu" / "index.html").write_text("docs")
    (lake / "data_docs" / "index.html").write_text("index")
    return lake


@pytest.fixture
def lake(lake_of_days: Path, tmp_path: Path) -> Path:
    shutil.copytree(lake_of_days, tmp_path / "lake")
    return tmp_path / "lake"


def settings(lake: Path, **days: int) -> Settings:
    loaded = load(lake=str(lake), landing=str(lake.parent), environment={})
    return replace(loaded, values={**loaded.values, **{f"upkeep.{name}": value for name, value in days.items()}})


def keep(lake: Path, *, dry_run: bool = False, now: dt.datetime = NOW, **days: int) -> str:
    output = io.StringIO()
    keep_lake(settings(lake, **days), Console(file=output, width=200), now=now, dry_run=dry_run)
    return output.getvalue()


def days_of(lake: Path, table: str) -> set[tuple[str, str]]:
    """The clusters and days that a table has rows of."""
    rows = DeltaTable(lake / table.replace(".", "/")).to_pyarrow_table().to_pylist()
    column = "delivered_on" if table.startswith("bronze.") else "day"
    return {(row["cluster"], str(row[column])) for row in rows}


def test_nothing_is_deleted_by_default(lake: Path) -> None:
    before = contents(lake)
    keep(lake)
    assert contents(lake) == before


def test_each_layer_keeps_the_days_of_its_setting_and_silver_the_state_before_them(lake: Path) -> None:
    keep(lake, bronze_days=15, silver_days=35, gold_days=45, quality_days=15)

    both = ("eu", HOSTILE)
    assert days_of(lake, "bronze.log_lines") == {(c, str(d)) for c in both for d in DAYS[5:]}
    assert days_of(lake, "bronze.files") == {(c, str(d)) for c in both for d in DAYS[5:]}
    # 2026-01-26 is the first of 35 days; the states of 2026-01-21 are where the day after it starts.
    assert days_of(lake, "silver.group_events") == {(c, str(d)) for c in both for d in DAYS[2:]}
    assert days_of(lake, "gold.findings") == {(c, str(d)) for c in both for d in DAYS[2:]}
    assert days_of(lake, "quality.rejected_rows") == {(c, str(d)) for c in both for d in DAYS[5:]}
    assert days_of(lake, "quality.rule_results") == {(c, str(d)) for c in both for d in DAYS[5:]}


def test_the_ledger_keeps_the_newest_entry_of_each_slice(lake: Path) -> None:
    old = row_of("quality.runs", cluster="eu", layer="gold", day=DAYS[0], table_name="gold")
    ends = [dt.datetime(2026, 1, day, tzinfo=dt.UTC) for day in (2, 3)]
    append(lake, "quality.runs", [{**old, "run_id": str(end), "ended_at": end} for end in ends])

    keep(lake, quality_days=15)

    runs = DeltaTable(lake / "quality/runs").to_pyarrow_table().to_pylist()
    assert [row["run_id"] for row in runs if row["layer"] == "gold"] == [str(ends[1])]
    assert len([row for row in runs if row["layer"] == "silver"]) == len(DAYS) * 4


def test_a_table_of_which_every_row_went_is_left_alone(lake: Path) -> None:
    long_after = NOW + dt.timedelta(100)
    assert "quality.rule_results: 12 of 12 rows" in keep(lake, now=long_after, quality_days=15)

    assert "quality.rule_results" not in keep(lake, now=long_after, quality_days=15)
    assert days_of(lake, "quality.rule_results") == set()


def test_a_dry_run_says_the_same_and_changes_no_byte(lake: Path) -> None:
    files = {path: path.stat().st_mtime_ns for path in lake.rglob("*") if path.is_file()}

    said = keep(lake, dry_run=True, bronze_days=15, report_days=15)

    assert "bronze.log_lines: days before 2026-02-15 (10 files, " in said
    assert "reports: days before 2026-02-15 (5 files, " in said
    assert {path: path.stat().st_mtime_ns for path in lake.rglob("*") if path.is_file()} == files
    assert said.splitlines()[:-1] == keep(lake, bronze_days=15, report_days=15).splitlines()


def test_reports_and_data_docs_of_older_days_go(lake: Path) -> None:
    keep(lake, report_days=15, data_docs_days=25)

    assert [path.name for path in (lake / "reports").iterdir()] == ["2026-02-20-eu.html"]
    assert sorted(path.name for path in (lake / "data_docs").iterdir()) == ["2026-02-10", "2026-02-20", "index.html"]


def test_versions_of_the_window_can_be_read_and_older_files_are_gone(lake: Path) -> None:
    keep(lake, silver_days=35)
    table = lake / "silver/group_events"
    before = DeltaTable(table).version() - 1
    after_a_day = dt.datetime.now(dt.UTC) + dt.timedelta(1)
    rows = len(days_of(lake, "silver.group_events"))

    keep(lake, silver_days=0, now=after_a_day)
    assert DeltaTable(table, version=before).to_pyarrow_table().num_rows > rows

    said = keep(lake, now=after_a_day + dt.timedelta(8))
    assert "silver.group_events: files of versions before" in said
    assert len(days_of(lake, "silver.group_events")) == rows
    on_disk = {path for path in table.rglob("*.parquet") if "_delta_log" not in path.parts}
    assert on_disk == {table / file.path for file in open_folders(LocalFolder(lake))["silver.group_events"].files}


def test_many_small_files_of_a_partition_become_one_with_the_same_rows(lake: Path) -> None:
    for number in range(8):
        append(
            lake, "silver.unfinished", [row_of("silver.unfinished", cluster=HOSTILE, day=DAYS[0], topic=str(number))]
        )
    before = contents(lake)

    keep(lake)

    assert len(open_folders(LocalFolder(lake))["silver.unfinished"].files) == 1
    assert contents(lake) == before
    assert DeltaTable(lake / "silver/unfinished").to_pyarrow_table().num_rows == 8


@pytest.mark.parametrize("done", range(0, 14, 2))
def test_killed_after_some_steps_and_repeated_it_ends_the_same(lake: Path, done: int, tmp_path: Path) -> None:
    chosen = {"bronze_days": 15, "silver_days": 35, "gold_days": 45, "quality_days": 15, "report_days": 15}
    shutil.copytree(lake, tmp_path / "whole")
    keep(tmp_path / "whole", **chosen)
    steps = find_steps(settings(lake, **chosen), LocalFolder(lake), open_folders(LocalFolder(lake)), NOW)[1]
    assert len(steps) > 7

    for step in steps[:done]:
        step.act()
    keep(lake, **chosen)

    kept, whole = contents(lake), contents(tmp_path / "whole")
    assert {name for name in whole if kept[name] != whole[name]} <= {"quality.runs"}
    assert len(kept["quality.runs"]) == len(whole["quality.runs"])


def test_landing_loses_old_files_that_bronze_has_as_they_are_and_no_others(lake: Path) -> None:
    landing = lake.parent
    for name in ("known", "unknown"):
        file = landing / f"group_logs/cluster=eu/date={DAYS[0]}/b1/{name}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("line\n")
    known = landing / f"group_logs/cluster=eu/date={DAYS[0]}/b1/known.log"
    modified = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    os.utime(known, (modified.timestamp(), modified.timestamp()))
    row = {"cluster": "eu", "delivered_on": DAYS[0], "source": "group_logs", "size": 5, "modified_at": modified}
    append(lake, "bronze.files", [row_of("bronze.files", source_file=str(known.relative_to(landing)), **row)])

    keep(lake, landing_days=15)

    assert [path.name for path in known.parent.iterdir()] == ["unknown.log"]


def test_alerts_and_silences_go_when_they_have_been_over_for_long(lake: Path) -> None:
    long_ago, lately = NOW - dt.timedelta(401), NOW - dt.timedelta(399)
    alert = row_of("quality.alerts", outcome="sent", first_day=DAYS[0], last_day=DAYS[0])
    alerts = {
        "over for long": {"resolved_at": long_ago},
        "over": {"resolved_at": lately},
        "open": {"resolved_at": None, "opened_at": long_ago},
        "over, and a channel does not know it": {"resolved_at": long_ago, "outcome": "waiting"},
    }
    append(lake, "quality.alerts", [{**alert, "key": key, **values} for key, values in alerts.items()])
    silences = {"expired for long": long_ago, "expired": lately, "to come": NOW + dt.timedelta(1)}
    silence = row_of("quality.silences")
    append(lake, "quality.silences", [{**silence, "silence_id": s, "expires_at": at} for s, at in silences.items()])

    assert "quality.alerts: 1 of 4 rows, from before 2025-01-26" in keep(lake)

    rows = {name: DeltaTable(lake / "quality" / name).to_pyarrow_table().to_pylist() for name in ("alerts", "silences")}
    assert {row["key"] for row in rows["alerts"]} == alerts.keys() - {"over for long"}
    assert {row["silence_id"] for row in rows["silences"]} == silences.keys() - {"expired for long"}
    assert "quality.alerts: 3" not in keep(lake, alert_days=0)


def test_a_retention_that_later_days_could_not_live_with_is_refused(lake: Path) -> None:
    with pytest.raises(UsageError, match=r"upkeep.silver_days is 10, .* Give 0 to keep everything, or 35 or more"):
        keep(lake, silver_days=10)
