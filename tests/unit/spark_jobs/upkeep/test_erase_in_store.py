"""`lagoon erase` on a lake in an object store leaves no byte of the value in any object."""

import datetime as dt
import gzip
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from rich.console import Console
from support.lake_of_days import contents, write_day
from support.object_store import ObjectStore, missing
from support.stored_lakes import KilledError, copy_into_store, killed_at, objects_containing, stored_folder

from spark_jobs.errors import UserError
from spark_jobs.lake.ledger_folder import newest_in
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folders
from spark_jobs.lake.write_lock import hold_write_lock, without_lock
from spark_jobs.progress import Progress
from spark_jobs.settings import load
from spark_jobs.store.store_access import StoreAccess
from spark_jobs.upkeep.erase_lake import erase_lake
from spark_jobs.upkeep.erased_value import ErasedValue
from spark_jobs.upkeep.upkeep_commands import erase as erase_command

DAYS = [dt.date(2026, 1, day) for day in (1, 2)]
GROUP = "personal-group"
HOSTILE = "a/b 'c' \"d\"%2F"
PAGES = {
    "reports/2026-01-01-eu.html": f"<td>{GROUP}</td>",
    "data_docs/2026-01-01/cluster=eu/x/row.html": GROUP,
    "data_docs/2026-01-01/cluster=eu/index.html": "index of the site",
    "data_docs/2026-01-02/cluster=eu/index.html": "nothing",
    "data_docs/index.html": "2026-01-01 eu, 2026-01-02 eu",
    "logs/20260101T000000Z-1.log": f"one\ntwo {GROUP} lines\nthree\n",
    "logs/20260102T000000Z-1.log": "nothing\n",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("days") / "lake"
    for day in DAYS:
        write_day(lake, "eu", day, group=GROUP if day != DAYS[1] else "other")
        write_day(lake, HOSTILE, day, group=GROUP)
    for path, text in PAGES.items():
        LocalFolder(lake).write(path, text.encode())
    return lake


def erase(
    store: ObjectStore,
    lake: str,
    *,
    landing: str = "none",
    dry_run: bool = False,
    require_lock: Callable[[], None] = without_lock,
) -> str:
    settings = load(lake=lake, landing=landing, environment=store.environment())
    output = io.StringIO()
    progress = Progress(Console(file=output, width=200), Console(file=output, width=200))
    erase_lake(settings, ErasedValue("group", GROUP), progress, dry_run=dry_run, require_lock=require_lock)
    return output.getvalue()


def rows_found(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if " row" in line or line.startswith(("reports/", "data_docs/"))]


@pytest.fixture
def uri(lake: Path, object_store: ObjectStore, request: pytest.FixtureRequest) -> str:
    return copy_into_store(object_store, lake, re.sub(r"\W", "-", f"{request.path.stem}-{request.node.name}"))


def test_no_byte_of_any_object_contains_it_and_the_rest_is_as_in_a_folder(
    lake: Path, uri: str, object_store: ObjectStore, tmp_path: Path
) -> None:
    stored = stored_folder(object_store, uri)
    assert len(objects_containing(stored, GROUP, tmp_path / "before")) > 20
    in_folder = shutil.copytree(lake, tmp_path / "lake")

    printed = erase(object_store, uri)

    assert objects_containing(stored, GROUP, tmp_path / "after") == []
    expected = rows_found(erase(object_store, str(in_folder)))
    assert len(expected) > 6
    assert rows_found(printed) == expected
    assert "keeps old versions" not in printed
    stored_rows, rows = contents(stored), contents(in_folder)
    assert {name for name in rows if rows[name] != stored_rows[name]} <= {"quality.runs"}
    assert len(rows["quality.runs"]) == len(stored_rows["quality.runs"])
    logs = [stored.read(f"logs/2026010{day}T000000Z-1.log") for day in (1, 2)]
    assert logs == [b"one\nthree\n", b"nothing\n"]
    assert [file.path for file in stored.files("reports")] == []
    assert [file.path for file in stored.files("data_docs")] == [
        "data_docs/2026-01-02/cluster=eu/index.html",
        "data_docs/index.html",
    ]
    index = stored.read("data_docs/index.html")
    assert index is not None
    assert index == (in_folder / "data_docs/index.html").read_bytes()
    assert b"2026-01-01" not in index
    assert "The lake does not contain it." in erase(object_store, uri)


def test_a_dry_run_counts_and_writes_nothing(uri: str, object_store: ObjectStore) -> None:
    stored = stored_folder(object_store, uri)
    before = stored.files()

    assert "bronze.log_lines: 3 rows" in erase(object_store, uri, dry_run=True)

    assert stored.files() == before


@pytest.mark.parametrize("change", [0, 1, 3, 4, 6, 12, 21, 28])
def test_killed_before_any_change_and_repeated_it_ends_the_same(
    lake: Path, uri: str, object_store: ObjectStore, tmp_path: Path, change: int
) -> None:
    stored, in_folder = stored_folder(object_store, uri), shutil.copytree(lake, tmp_path / "lake")
    erase(object_store, str(in_folder))
    with pytest.raises(KilledError):
        erase(object_store, uri, require_lock=killed_at(change))

    erase(object_store, uri)

    assert objects_containing(stored, GROUP, tmp_path / "after") == []
    stored_rows, rows = contents(stored), contents(in_folder)
    assert {name for name in rows if rows[name] != stored_rows[name]} <= {"quality.runs"}
    newest = [newest_in(open_folders(each)["quality.runs"], "silver") for each in (stored, LocalFolder(in_folder))]
    assert newest[0] == newest[1]
    index = stored.read("data_docs/index.html")
    assert index == (in_folder / "data_docs/index.html").read_bytes()


def test_files_in_a_landing_in_a_store_are_listed_also_compressed_ones_and_stay(
    uri: str, object_store: ObjectStore, tmp_path: Path
) -> None:
    landing, folder = LocalFolder(tmp_path / "landing"), "group_logs/cluster=eu/date=2026-01-01/b1"
    landing.write(f"{folder}/server.log", b"rows of it were read from this file\n")
    landing.write(f"{folder}/other.log.gz", gzip.compress(f"line of {GROUP}\n".encode()))
    landing.write(f"{folder}/other.log.zst", zstandard.compress(f"line of {GROUP}\n".encode()))
    landing.write(f"{folder}/unrelated.log", b"nothing\n")
    in_store = copy_into_store(object_store, landing.folder, "landing-of-erase")

    printed = erase(object_store, uri, landing=in_store)

    listed = [line.strip() for line in printed.splitlines() if line.strip().startswith("group_logs/")]
    assert listed == [f"{folder}/{name}" for name in ("other.log.gz", "other.log.zst", "server.log")]
    assert len(stored_folder(object_store, in_store).files()) == 4


def test_beside_a_run_it_refuses_in_one_sentence_and_changes_nothing(
    uri: str, object_store: ObjectStore, store_access: StoreAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in object_store.environment().items():
        monkeypatch.setenv(name, value)
    before = contents(stored_folder(object_store, uri))

    with (
        hold_write_lock(uri, store_access),
        pytest.raises(UserError, match=r"is being written by process \d+ on .*Wait until it ends"),
    ):
        erase_command(group=GROUP, lake=uri)

    assert contents(stored_folder(object_store, uri)) == before


def test_a_bucket_that_keeps_versions_is_said_to_keep_it(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if reason := missing():
        pytest.skip(reason)
    store = ObjectStore(tmp_path / "store", keeps_versions=True)
    store.start()
    try:
        uri = copy_into_store(store, lake, "lake")
        for name, value in store.environment().items():
            monkeypatch.setenv(name, value)
        erase_command(group=GROUP, lake=uri)
        stored = stored_folder(store, uri)
        assert objects_containing(stored, GROUP, tmp_path / "after") == []
        assert "keeps old versions of its objects, and in them what is erased" in capsys.readouterr().err
        assert any(GROUP.encode() in file.read_bytes() for file in store.folder.glob("versions/**/*") if file.is_file())
    finally:
        store.stop()
