"""`lagoon upkeep` and `lagoon erase` on a lake in an object store, killed at several requests and run again."""

import datetime as dt
import os
import shutil
import signal
from pathlib import Path

import pytest
from support.faulty_proxy import FaultyProxy
from support.killed_commands import ended, start_lagoon
from support.lake_of_days import append, contents, row_of, write_day
from support.object_store import ObjectStore
from support.store_fixture import object_store, store_access
from support.stored_lakes import copy_into_store, objects_containing, stored_folder

__all__ = ["object_store", "store_access"]

pytestmark = pytest.mark.slow

DAYS = [dt.date(2026, 1, day) for day in (1, 2)]
GROUP = "personal-group"
UPKEEP, ERASE = ("upkeep",), ("erase", "--group", GROUP)
KEPT = {"LAGOON_UPKEEP_BRONZE_DAYS": "7", "LAGOON_UPKEEP_QUALITY_DAYS": "7"}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("days") / "lake"
    for day in DAYS:
        write_day(lake, "eu", day, group=GROUP)
    for number in range(8):
        append(lake, "silver.unfinished", [row_of("silver.unfinished", cluster="eu", day=DAYS[0], topic=str(number))])
    return lake


@pytest.mark.parametrize("command", [UPKEEP, ERASE])
@pytest.mark.parametrize("request_number", [8, 12, 16])
def test_killed_at_a_request_that_changes_the_store_and_repeated_it_ends_the_same(
    lake: Path, object_store: ObjectStore, tmp_path: Path, command: tuple[str, ...], request_number: int
) -> None:
    shutil.copytree(lake, tmp_path / "lake")
    uri = copy_into_store(object_store, lake, f"killed-{command[0]}-{request_number}")
    assert ended(start_lagoon(*command, "--lake", tmp_path / "lake", environment=KEPT))[0] == 0
    proxy, changes = FaultyProxy(object_store.port), list[str]()
    environment = {**KEPT, **object_store.environment(proxy.endpoint)}
    process = start_lagoon(*command, "--lake", uri, environment=environment)

    def kill(method: str, path: str) -> None:
        if method in ("PUT", "POST", "DELETE"):
            changes.append(path)
            if len(changes) == request_number:
                os.killpg(process.pid, signal.SIGKILL)

    proxy.faults.before = kill
    try:
        assert ended(process)[0] == -signal.SIGKILL, changes
        # The lease of a process that was killed on this machine is taken over at once.
        code, errors = ended(start_lagoon(*command, "--lake", uri, environment=environment))
    finally:
        proxy.close()

    assert code == 0, errors
    stored = stored_folder(object_store, uri)
    rows, expected = contents(stored), contents(tmp_path / "lake")
    assert {name for name in expected if rows[name] != expected[name]} <= {"quality.runs"}
    if command == ERASE:
        assert objects_containing(stored, GROUP, tmp_path / "objects") == []
