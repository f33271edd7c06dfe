"""Landed files in an object store, listed and parsed without Spark."""

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path

import obstore
import pytest
from support.faulty_proxy import FaultyProxy
from support.object_store import ObjectStore
from support.store_fixture import object_store
from support.stored_landing import client, upload

from spark_jobs.bronze.parse import FileReceipt, parse_file
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.errors import UserError
from spark_jobs.landing import LandedFile, list_landing
from spark_jobs.settings import Settings, load

__all__ = ["object_store"]

FOLDER = "group_logs/cluster=eu/date=2026-11-18"
LINE = "[2026-11-18 10:00:00,000] INFO [GroupCoordinator 1]: Preparing to rebalance group billing in state Empty with old generation 0 (reason: x) (kafka.coordinator.group.GroupCoordinator)\n"
# Larger than what clients read ahead.
LINES = 60_000


@pytest.fixture
def proxy(object_store: ObjectStore) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy(object_store.port)
    yield proxy
    proxy.close()


@pytest.fixture
def landing(object_store: ObjectStore, tmp_path: Path) -> str:
    log = tmp_path / FOLDER / "broker 1" / "server%41.log"
    log.parent.mkdir(parents=True)
    log.write_text(LINE * LINES)
    (tmp_path / FOLDER / ".hidden").write_text("")
    (tmp_path / "group_logs" / "notes.txt").write_text("")
    return upload(object_store, tmp_path, f"landing-{os.getpid()}")


def loaded(landing: str, store: ObjectStore, proxy: FaultyProxy) -> Settings:
    return load(landing=landing, lake="unused", environment=store.environment(proxy.endpoint))


def listed(settings: Settings) -> LandedFile:
    [file] = list_landing(settings.landing, access=settings.store).files
    return file


def parsed(settings: Settings, file: LandedFile) -> tuple[int, FileReceipt]:
    receipts: list[FileReceipt] = []
    rows = sum(batch.num_rows for batch in parse_file(settings, file, BRONZE_SOURCES["group_logs"], receipts.append))
    return rows, receipts[0]


def test_files_are_listed_and_parsed_as_in_a_folder(
    object_store: ObjectStore, proxy: FaultyProxy, landing: str
) -> None:
    settings = loaded(landing, object_store, proxy)
    found = list_landing(landing, access=settings.store)

    assert [(file.path, file.size, file.delivered_on, file.origin) for file in found.files] == [
        (f"{FOLDER}/broker 1/server%41.log", len(LINE) * LINES, dt.date(2026, 11, 18), "broker 1")
    ]
    assert [file.path for file in found.skipped] == ["group_logs/notes.txt"]
    rows, receipt = parsed(settings, found.files[0])
    assert (rows, receipt.receipt.records, receipt.problem) == (LINES, LINES, None)


def test_a_store_that_breaks_off_is_no_damaged_file(
    object_store: ObjectStore, proxy: FaultyProxy, landing: str
) -> None:
    settings = loaded(landing, object_store, proxy)
    file = listed(settings)

    def hang_up(method: str, path: str) -> None:
        if method == "GET" and "server" in path and "list-type" not in path:
            raise ConnectionAbortedError

    proxy.faults.half_way = hang_up

    with pytest.raises(UserError, match=r"does not answer. Look whether it works, then run this again"):
        parsed(settings, file)


def test_a_file_that_is_replaced_while_it_is_read_is_read_as_it_was(
    object_store: ObjectStore, proxy: FaultyProxy, landing: str
) -> None:
    settings = loaded(landing, object_store, proxy)
    file, in_store = listed(settings), client(object_store, landing.rpartition("/")[2])
    other = LINE.replace("billing", "orders").encode() * (2 * LINES)

    def replace(method: str, path: str) -> None:
        if method == "GET" and "server" in path and "list-type" not in path:
            obstore.put(in_store, file.path, other)

    proxy.faults.half_way = replace
    rows, receipt = parsed(settings, file)
    assert (rows, receipt.problem) == (LINES, None)

    again = listed(settings)
    assert again.size == len(other)
    assert again != file
