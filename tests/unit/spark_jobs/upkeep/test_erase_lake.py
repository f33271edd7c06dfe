"""What `lagoon erase` removes and leaves, on lakes that were written without Spark."""

import datetime as dt
import gzip
import io
import shutil
from pathlib import Path

import pytest
from deltalake import DeltaTable
from rich.console import Console
from support.lake_bytes import files_containing
from support.lake_of_days import contents, write_day

from spark_jobs.lake import ledger
from spark_jobs.lake.erasures import erased_again, erasures_in
from spark_jobs.lake.ledger_folder import newest_in
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folders
from spark_jobs.progress import Progress
from spark_jobs.settings import load
from spark_jobs.upkeep.erase_lake import erase_lake
from spark_jobs.upkeep.erased_value import ErasedValue

DAYS = [dt.date(2026, 1, day) for day in (1, 2, 3)]
GROUP = "personal-group"
HOSTILE = "a/b 'c' \"d\"%2F"


@pytest.fixture(scope="module")
def lake_of_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("days") / "lake"
    for day in DAYS:
        write_day(lake, "eu", day, group=GROUP if day != DAYS[1] else "other")
        write_day(lake, HOSTILE, day, group=GROUP)
    (lake / "reports").mkdir()
    (lake / "reports" / "2026-01-01-eu.html").write_text(f"<td>{GROUP}</td>")
    (lake / "data_docs" / "2026-01-01" / "cluster=eu" / "x").mkdir(parents=True)
    (lake / "data_docs" / "2026-01-01" / "cluster=eu" / "x" / "row.html").write_text(GROUP)
    (lake / "data_docs" / "2026-01-02" / "cluster=eu").mkdir(parents=True)
    (lake / "data_docs" / "2026-01-02" / "cluster=eu" / "index.html").write_text("nothing")
    (lake / "logs").mkdir()
    (lake / "logs" / "lagoon.log").write_text(f"one\ntwo {GROUP} lines\nthree\n")
    return lake


@pytest.fixture
def lake(lake_of_days: Path, tmp_path: Path) -> Path:
    shutil.copytree(lake_of_days, tmp_path / "lake")
    return tmp_path / "lake"


def erase(lake: Path, value: str = GROUP, kind: str = "group", *, dry_run: bool = False) -> str:
    output = io.StringIO()
    progress = Progress(Console(quiet=True), Console(file=output, width=200))
    settings = load(lake=str(lake), landing=str(lake.parent / "landing"), environment={})
    erase_lake(settings, ErasedValue(kind, value), progress, dry_run=dry_run)
    return output.getvalue()


def test_no_byte_of_the_lake_contains_it_afterwards_and_all_other_rows_are_there(lake: Path) -> None:
    before = contents(lake)
    assert len(files_containing(lake, GROUP)) > 20

    erase(lake)

    assert files_containing(lake, GROUP) == []
    now = contents(lake)
    for table in set(before) - {"quality.runs", "bronze.files"}:
        assert now[table] == [row for row in before[table] if GROUP not in row], table
    assert len(now["bronze.files"]) == len(before["bronze.files"])


def test_the_ledger_counts_what_is_left_and_still_adds_up(lake: Path) -> None:
    erase(lake)

    runs = open_folders(LocalFolder(lake))[ledger.TABLE]
    silver = newest_in(runs, "silver")
    entries = {day: silver["eu", day, "silver.group_events"] for day in DAYS}
    counts = {d: (e.outcome, e.rows_in, e.rows_accepted, e.rows_rejected, e.rows_duplicate) for d, e in entries.items()}
    assert counts == {
        DAYS[0]: ("erased", 1, 1, 0, 0),
        DAYS[1]: ("done", 3, 2, 1, 0),
        DAYS[2]: ("erased", 1, 1, 0, 0),
    }
    bronze = newest_in(runs, "bronze")
    assert [bronze["eu", day, "bronze.log_lines"].event_rows[0].rows for day in DAYS] == [1, 2, 1]
    files = DeltaTable(lake / "bronze/files").to_pyarrow_table().to_pylist()
    assert sorted(row["tells"][0]["rows"] for row in files) == [1, 1, 1, 1, 1, 2]


def test_it_is_recorded_without_the_value_and_recognised_when_it_comes_again(lake: Path) -> None:
    erase(lake)

    recorded = erasures_in(newest_in(open_folders(LocalFolder(lake))[ledger.TABLE], "erasure").values())
    assert [erasure.kind for erasure in recorded] == ["group"]
    assert erased_again(recorded, ["x", f"groupId={GROUP}, more"]) == recorded
    assert erased_again(recorded, ["x", "personal", f"{GROUP}s"]) == []


def test_logs_lose_lines_and_data_docs_and_reports_the_day(lake: Path) -> None:
    erase(lake)

    assert (lake / "logs" / "lagoon.log").read_text() == "one\nthree\n"
    assert sorted(path.name for path in (lake / "data_docs").iterdir()) == ["2026-01-02", "index.html"]
    assert "2026-01-02 eu" in (lake / "data_docs" / "index.html").read_text()
    assert "2026-01-01" not in (lake / "data_docs" / "index.html").read_text()
    assert not (lake / "reports").exists()


def test_a_dry_run_counts_and_changes_no_byte(lake: Path) -> None:
    before = {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()}

    said = erase(lake, dry_run=True)

    assert "bronze.log_lines: 5 rows" in said
    assert "logs/lagoon.log" in said
    assert {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()} == before


def test_repeated_it_finds_nothing_and_records_nothing(lake: Path) -> None:
    erase(lake)
    before = contents(lake)

    assert "The lake does not contain it." in erase(lake)
    assert contents(lake) == before


@pytest.mark.parametrize("rows_left", [0, 1, 3])
def test_killed_between_two_tables_and_repeated_it_ends_the_same(
    lake: Path, tmp_path: Path, rows_left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark_jobs.upkeep import erase_lake as module

    shutil.copytree(lake, tmp_path / "whole")
    erase(tmp_path / "whole")
    done, real = [], module.erase

    def killed(*arguments: object) -> None:
        if len(done) == rows_left:
            raise KeyboardInterrupt
        done.append(1)
        real(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(module, "erase", killed)
        with pytest.raises(KeyboardInterrupt):
            erase(lake)
    erase(lake)

    assert files_containing(lake, GROUP) == []
    whole, now = contents(tmp_path / "whole"), contents(lake)
    assert {table for table in whole if whole[table] != now[table]} <= {"quality.runs"}
    newest = [newest_in(open_folders(LocalFolder(each))[ledger.TABLE], "silver") for each in (lake, tmp_path / "whole")]
    assert newest[0] == newest[1]


def test_files_in_landing_are_listed_also_compressed_ones_and_stay(lake: Path) -> None:
    folder = lake.parent / "landing/group_logs/cluster=eu/date=2026-01-01/b1"
    folder.mkdir(parents=True)
    (folder / "server.log").write_text("rows of it were read from this file\n")
    (folder / "other.log.gz").write_bytes(gzip.compress(f"line of {GROUP}\n".encode()))
    (folder / "unrelated.log").write_text("nothing\n")

    said = erase(lake)

    listed = [line.strip() for line in said.splitlines() if line.strip().startswith("group_logs/")]
    assert [Path(line).name for line in listed] == ["other.log.gz", "server.log"]
    assert len(list(folder.iterdir())) == 3


def test_hostile_values_are_erased(tmp_path: Path) -> None:
    lake, value = tmp_path / "lake", 'Zoë\'s "group" <b>\\n%20\n@here'
    write_day(lake, "eu", DAYS[0], group=value, text="{}")

    erase(lake, value)

    assert files_containing(lake, "Zoë") == []
    assert len(contents(lake)["bronze.log_lines"]) == 1
