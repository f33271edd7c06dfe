"""`lagoon upkeep` on a lake in an object store does what it does to the same lake in a folder."""

import contextlib
import datetime as dt
import io
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from rich.console import Console
from support.lake_of_days import append, contents, row_of, write_day
from support.object_store import ObjectStore
from support.stored_lakes import KilledError, copy_into_store, killed_at, stored_folder

from spark_jobs.errors import UserError
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.write_lock import hold_write_lock, without_lock
from spark_jobs.landing import list_landing
from spark_jobs.settings import load
from spark_jobs.store.lease import take_lease
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess
from spark_jobs.upkeep.keep_lake import keep_lake
from spark_jobs.upkeep.upkeep_commands import upkeep

DAYS = [dt.date(2026, 1, 1) + dt.timedelta(number) for number in range(0, 60, 10)]
NOW = dt.datetime(2026, 3, 2, 5, tzinfo=dt.UTC)
HOSTILE = "a/b 'c' \"d\"%2F=ü"
KEPT = {"bronze_days": 15, "silver_days": 35, "gold_days": 45, "quality_days": 15, "report_days": 15}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each day was written on the day after it. One partition has many small files; one table has checkpoints."""
    lake = tmp_path_factory.mktemp("days") / "lake"
    for day in DAYS:
        for cluster in ("eu", HOSTILE):
            write_day(lake, cluster, day)
            unfinished = row_of("silver.unfinished", cluster=cluster, day=DAYS[-1], topic=str(day))
            append(lake, "silver.unfinished", [unfinished, unfinished])
            append(lake, "silver.unfinished", [unfinished])
        DeltaTable(lake / "silver/unfinished").create_checkpoint()
        pages = [f"reports/{day}-eu.html", f"data_docs/{day}/cluster=eu/index.html", "data_docs/index.html"]
        for page in pages:
            LocalFolder(lake).write(page, b"page")
        at = dt.datetime.combine(day + dt.timedelta(1), dt.time(5), dt.UTC).timestamp()
        for file in lake.rglob("*"):
            if file.is_file() and file.stat().st_mtime > at + 1:
                os.utime(file, (at, at))
    return lake


class TwoLakes:
    """The same lake in a folder and in a store."""

    def __init__(self, lake: Path, store: ObjectStore, scratch: Path, name: str) -> None:
        shutil.copytree(lake, scratch / "lake")
        self.uris = str(scratch / "lake"), copy_into_store(store, lake, name)
        self.folders: tuple[FileFolder, FileFolder] = (
            LocalFolder(scratch / "lake"),
            stored_folder(store, self.uris[1]),
        )
        self._store = store

    def keep(self, number: int, *, require_lock: Callable[[], None] = without_lock, **options: object) -> str:
        return keep(self._store, self.uris[number], require_lock=require_lock, **options)

    def both(self, **options: object) -> list[str]:
        return [self.keep(number, **options) for number in (0, 1)]


def keep(
    store: ObjectStore,
    lake: str,
    *,
    landing: str = "none",
    now: dt.datetime = NOW,
    dry_run: bool = False,
    require_lock: Callable[[], None] = without_lock,
    **days: object,
) -> str:
    loaded, output = load(lake=lake, landing=landing, environment=store.environment()), io.StringIO()
    chosen = replace(loaded, values={**loaded.values, **{f"upkeep.{name}": int(str(n)) for name, n in days.items()}})
    keep_lake(chosen, Console(file=output, width=200), now=now, dry_run=dry_run, require_lock=require_lock)
    return output.getvalue()


@pytest.fixture
def lakes(lake: Path, object_store: ObjectStore, tmp_path: Path, request: pytest.FixtureRequest) -> TwoLakes:
    return TwoLakes(lake, object_store, tmp_path, re.sub(r"\W", "-", f"{request.path.stem}-{request.node.name}"))


def sizes(folder: FileFolder) -> Counter[tuple[str, int]]:
    """How many files of each size each folder has. Not of logs and of the ledger, which have the time of their writing."""
    return Counter(
        (file.path.rpartition("/")[0], file.size if "/_delta_log/" not in file.path else 0)
        for file in folder.files()
        if not file.path.startswith("quality/runs/") and not Path(file.path).name.startswith(".lock")
    )


def versions(folder: FileFolder) -> dict[tuple[str, int], int]:
    """The number of rows in each version of some tables that can be read."""
    found = {}
    for name in ("silver/unfinished", "gold/findings", "quality/rule_results"):
        table = folder.below(name)
        newest = DeltaTable(table.uri, storage_options=table.delta_options).version()
        for version in range(newest + 1):
            with contextlib.suppress(Exception):
                read = DeltaTable(table.uri, version=version, storage_options=table.delta_options)
                found[name, version] = read.to_pyarrow_table().num_rows
    return found


def test_what_it_says_and_does_is_the_same(lakes: TwoLakes) -> None:
    said = lakes.both(**KEPT, data_docs_days=25)

    assert said[0] == said[1]
    assert "silver.unfinished: 24 small files merged into 2" in said[0]
    assert "bronze.log_lines: days before 2026-02-15 (10 files" in said[0]
    assert "silver.unfinished: log entries of versions before" in said[0]
    assert "reports: days before 2026-02-15 (5 files" in said[0]
    assert "data_docs: days before 2026-02-05 (4 files" in said[0]
    in_folder, in_store = (contents(folder) for folder in lakes.folders)
    assert {name for name in in_folder if in_folder[name] != in_store[name]} <= {"quality.runs"}
    assert sizes(lakes.folders[0]) == sizes(lakes.folders[1])
    assert versions(lakes.folders[0]) == versions(lakes.folders[1])


def test_versions_of_the_window_can_be_read_until_it_is_over(lakes: TwoLakes) -> None:
    before = versions(lakes.folders[1])
    lakes.both(**KEPT)
    now = dt.datetime.now(dt.UTC)

    # What was kept until today is in the window.
    assert lakes.both(now=now + dt.timedelta(6)) == ["Nothing to do.\n"] * 2
    kept = versions(lakes.folders[1])
    newest = {name: max(version for table, version in before if table == name) for name, _ in before}
    assert all(kept[name, version] == before[name, version] for name, version in newest.items())

    said = lakes.both(now=now + dt.timedelta(8))
    assert said[0] == said[1]
    assert "gold.findings: files of versions before" in said[1]
    assert versions(lakes.folders[0]) == versions(lakes.folders[1])
    assert len(versions(lakes.folders[1])) < len(kept)
    assert sizes(lakes.folders[0]) == sizes(lakes.folders[1])
    assert lakes.both(now=now + dt.timedelta(8)) == ["Nothing to do.\n"] * 2


def test_a_dry_run_says_the_same_and_writes_nothing(lakes: TwoLakes) -> None:
    stored = lakes.folders[1]
    before = stored.files()

    said = lakes.keep(1, dry_run=True, **KEPT)

    assert stored.files() == before
    assert said.splitlines()[:-1] == lakes.keep(1, **KEPT).splitlines()
    assert stored.files() != before


@pytest.mark.parametrize("change", [0, 1, 4, 9, 15])
def test_killed_before_any_change_and_repeated_it_ends_the_same(lakes: TwoLakes, change: int) -> None:
    lakes.keep(0, **KEPT)
    with pytest.raises(KilledError):
        lakes.keep(1, **KEPT, require_lock=killed_at(change))

    lakes.keep(1, **KEPT)

    in_folder, in_store = (contents(folder) for folder in lakes.folders)
    assert {name for name in in_folder if in_folder[name] != in_store[name]} <= {"quality.runs"}
    assert len(in_folder["quality.runs"]) == len(in_store["quality.runs"])
    # What an unfinished call has written, and no version has, goes with the window.
    over = dt.datetime.now(dt.UTC) + dt.timedelta(8)
    lakes.both(now=over)
    assert lakes.both(now=over) == ["Nothing to do.\n"] * 2
    assert sizes(lakes.folders[0]) == sizes(lakes.folders[1])


def test_beside_a_run_it_refuses_in_one_sentence_and_changes_nothing(
    lakes: TwoLakes, object_store: ObjectStore, store_access: StoreAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in object_store.environment().items():
        monkeypatch.setenv(name, value)
    uri, stored = lakes.uris[1], lakes.folders[1]
    with hold_write_lock(uri, store_access):
        before = contents(stored), sizes(stored)
        with pytest.raises(UserError, match=r"is being written by process \d+ on .*Wait until it ends") as refused:
            upkeep(lake=uri)
        assert (contents(stored), sizes(stored)) == before
    assert refused.value.exit_code == 3


def test_once_its_lease_has_ended_it_changes_nothing_more(lakes: TwoLakes, store_access: StoreAccess) -> None:
    stored = lakes.folders[1]
    before = contents(stored), sizes(stored)
    lease = take_lease(ObjectFolder(lakes.uris[1], store_access), ".lock", seconds=0.0)

    with pytest.raises(UserError, match="another one may write it now"):
        lakes.keep(1, **KEPT, require_lock=lease.require)

    assert (contents(stored), sizes(stored)) == before


def test_landing_may_be_in_a_store_and_the_lake_in_a_folder_and_the_other_way_round(
    lakes: TwoLakes, object_store: ObjectStore, tmp_path: Path
) -> None:
    landing = tmp_path / "landing"
    for name in ("known", "grown", "unknown"):
        LocalFolder(landing).write(f"group_logs/cluster=eu/date={DAYS[0]}/b1/{name} %.log", b"line\n")
    uri = copy_into_store(object_store, landing, "landing-of-upkeep")
    access = load(environment=object_store.environment()).store
    pairs = [(0, uri, stored_folder(object_store, uri)), (1, str(landing), LocalFolder(landing))]
    for lake, landing_uri, in_landing in pairs:
        landed = [file for file in list_landing(landing_uri, access=access).files if "unknown" not in file.path]
        rows = [row_of("bronze.files", **{**vars(file), "source_file": file.path}) for file in landed]
        append(lakes.folders[lake], "bronze.files", rows)
        [grown] = [file.path for file in landed if "grown" in file.path]
        in_landing.write(grown, b"line\nline\n")

        said = lakes.keep(lake, landing=landing_uri, landing_days=15)

        assert "landing: deliveries before 2026-02-15 that bronze has (1 file, 0.0 MB)" in said
        assert [Path(file.path).name for file in in_landing.files()] == ["grown %.log", "unknown %.log"]

    # Nothing is left that it could delete.
    for lake, landing_uri, in_landing in pairs:
        in_landing.delete([file.path for file in in_landing.files()])
        assert "landing" not in lakes.keep(lake, landing=landing_uri, landing_days=15)
