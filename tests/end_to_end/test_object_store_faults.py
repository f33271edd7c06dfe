"""An object store that goes away, refuses, is slow, or changes under the reader: one sentence, and in the end the same tables."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import obstore
import pytest
from support.faulty_proxy import FaultyProxy
from support.object_store import ObjectStore, missing
from support.stored_landing import client, upload
from support.stored_tables import tables

from spark_jobs.settings import load
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.lease import LeaseState

pytestmark = pytest.mark.slow

SOURCE = ("bronze", "--quiet", "--source", "lag_metrics")
SECONDS_AWAY = 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    if reason := missing():
        pytest.skip(reason)
    store = ObjectStore(tmp_path / "store")
    store.start()
    yield store
    store.stop()


@pytest.fixture
def proxy(store: ObjectStore) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy(store.port)
    yield proxy
    proxy.close()


def started(environment: dict[str, str], *words: str) -> "subprocess.Popen[str]":
    without = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "LAGOON_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", *words],
        env={**without, **environment, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code, and what was printed as an error."""
    _, errors = process.communicate(timeout=600)
    return process.returncode, errors


def built(store: ObjectStore, lake: str) -> dict[str, list[str]]:
    uri = store.uri(lake)
    return tables(uri, delta_options(uri, load(environment=store.environment()).store), store.path(lake))


@pytest.fixture(scope="module")
def expected(small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The tables of the same landing in folders."""
    return built_in_a_folder(small_landing, tmp_path_factory.mktemp("expected") / "lake")


def built_in_a_folder(landing: Path, lake: Path) -> dict[str, list[str]]:
    code, errors = ended(started({}, *SOURCE, "--landing", str(landing), "--lake", str(lake)))
    assert code == 0, errors
    return tables(str(lake), {}, lake)


def is_one_sentence(errors: str) -> bool:
    return errors.count("\n") == 1 and errors.startswith("lagoon: ") and "Traceback" not in errors


def run_until_rows_are_written(store: ObjectStore, *words: str) -> "subprocess.Popen[str]":
    process = started(store.environment(), *words)
    first_rows = store.path("lake") / "bronze" / "lag_readings"
    while not any(first_rows.glob("cluster=*/*/*.parquet")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


def test_a_store_that_is_gone_for_a_minute_only_delays_a_run(
    store: ObjectStore, small_landing: Path, expected: dict[str, list[str]]
) -> None:
    landing = upload(store, small_landing, "landing")
    process = run_until_rows_are_written(store, *SOURCE, "--landing", landing, "--lake", store.uri("lake"))

    store.stop()
    time.sleep(SECONDS_AWAY)
    store.start()

    code, errors = ended(process)
    assert code == 0, errors
    assert built(store, "lake") == expected


def test_a_store_that_stays_away_ends_a_run_and_the_next_one_finishes_it(
    store: ObjectStore, small_landing: Path, expected: dict[str, list[str]]
) -> None:
    words = (*SOURCE, "--landing", upload(store, small_landing, "landing"), "--lake", store.uri("lake"))
    process = run_until_rows_are_written(store, *words)

    store.stop()
    code, errors = ended(process)

    assert code == 3
    assert is_one_sentence(errors), errors
    assert re.search(r"the object store of \S+ \(\S+\) does not answer|could not renew its lease", errors), errors
    assert "then run this again: no table is half-written" in errors
    store.start()
    # The lease of the process that has ended is no obstacle.
    code, errors = ended(started(store.environment(), *words))
    assert code == 0, errors
    assert built(store, "lake") == expected


def test_a_store_that_is_slow_and_refuses_every_fiftieth_request(
    store: ObjectStore, proxy: FaultyProxy, small_landing: Path, expected: dict[str, list[str]]
) -> None:
    words = (*SOURCE, "--landing", upload(store, small_landing, "landing"), "--lake", store.uri("lake"))
    proxy.faults.refuse_every, proxy.faults.seconds_of_delay = 50, 0.01

    code, errors = ended(started(store.environment(proxy.endpoint), *words))

    assert code == 0, errors
    assert proxy.faults.refused > 10
    assert built(store, "lake") == expected


def test_a_store_that_refuses_everything_is_named_before_spark_starts(
    store: ObjectStore, proxy: FaultyProxy, small_landing: Path
) -> None:
    landing = upload(store, small_landing, "landing")
    proxy.faults.refuse_every = 1

    code, errors = ended(
        started(store.environment(proxy.endpoint), *SOURCE, "--landing", landing, "--lake", store.uri("lake"))
    )

    assert code == 3
    assert is_one_sentence(errors), errors
    assert "refuses requests for now (503). Wait until it has recovered" in errors


def test_a_run_whose_lease_another_process_has_taken_over_stops_before_it_commits(
    store: ObjectStore, proxy: FaultyProxy, small_landing: Path, expected: dict[str, list[str]]
) -> None:
    landing, lake = upload(store, small_landing, "landing"), client(store, "lake")
    proxy.faults.seconds_of_delay = 0.1
    process = started(store.environment(proxy.endpoint), *SOURCE, "--landing", landing, "--lake", store.uri("lake"))
    while not (store.path("lake") / "quality" / "runs" / "_delta_log").is_dir():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)

    other = LeaseState("process 1 on elsewhere", "another machine", 1, "5", 3600.0, "token").encoded()
    obstore.put(lake, ".lock", other)

    code, errors = ended(process)
    assert code == 3
    assert is_one_sentence(errors), errors
    assert "could not renew its lease of" in errors
    assert "another one may write it now. Look whether the object store answers, then run this again" in errors
    assert bytes(obstore.get(lake, ".lock").bytes()) == other
    words = (*SOURCE, "--landing", landing, "--lake", store.uri("lake"))
    code, errors = ended(started(store.environment(), *words))
    assert code == 3
    assert "is being written by process 1 on elsewhere. Wait until it ends" in errors

    obstore.delete(lake, ".lock")
    code, errors = ended(started(store.environment(), *words))
    assert code == 0, errors
    assert built(store, "lake") == expected


def test_a_lake_whose_bucket_was_lost_goes_on_from_a_copy_of_its_objects(
    store: ObjectStore, small_landing: Path, expected: dict[str, list[str]]
) -> None:
    words = (*SOURCE, "--landing", upload(store, small_landing, "landing"))
    assert ended(started(store.environment(), *words, "--lake", store.uri("lost"))) == (0, "")
    lost, restored = client(store, "lost"), client(store, "restored")
    paths = [each["path"] for batch in obstore.list(lost) for each in batch]
    assert len(paths) > 10
    for path in paths:
        # The marker of an empty folder: the client drops the slash with which its name ends, and doesn't find it.
        with contextlib.suppress(FileNotFoundError):
            obstore.put(restored, path, obstore.get(lost, path).bytes())
    obstore.delete(lost, paths)

    # The lease of the run before was copied too, and has ended.
    code, errors = ended(started(store.environment(), *words, "--lake", store.uri("restored")))

    assert (code, errors) == (0, "")
    assert built(store, "restored") == expected


def test_landed_files_that_vanish_and_grow_while_they_are_read(
    store: ObjectStore, proxy: FaultyProxy, small_landing: Path, tmp_path: Path
) -> None:
    landing = upload(store, small_landing, "landing")
    reports = sorted(
        path.relative_to(small_landing).as_posix() for path in small_landing.glob("lag_metrics/**/*describe*")
    )
    vanishing, growing = reports[0], reports[-1]
    in_store, words = client(store, "landing"), (*SOURCE, "--landing", landing, "--lake", store.uri("lake"))
    grown = (small_landing / growing).read_bytes() * 2
    happened: list[str] = []

    def vanish(method: str, path: str) -> None:
        if method == "GET" and path.endswith(vanishing.rpartition("/")[2]) and not happened:
            happened.append("vanished")
            obstore.delete(in_store, vanishing)

    def grow(method: str, path: str) -> None:
        if method == "GET" and path.endswith(growing.rpartition("/")[2]) and "grown" not in happened:
            happened.append("grown")
            obstore.put(in_store, growing, grown)

    proxy.faults.before = vanish
    code, errors = ended(started(store.environment(proxy.endpoint), *words))
    assert (code, happened) == (3, ["vanished"])
    assert is_one_sentence(errors), errors
    assert f"{store.uri('landing')}/{vanishing} was removed while it was read. Run this again" in errors

    # It was read as it was, and is read again because it has changed.
    proxy.faults.half_way = grow
    for _ in range(2):
        code, errors = ended(started(store.environment(proxy.endpoint), *words))
        assert code == 0, errors
    assert happened == ["vanished", "grown"]

    as_delivered = tmp_path / "as-delivered"
    for file in small_landing.rglob("*"):
        path = file.relative_to(small_landing)
        if file.is_file() and path.as_posix() != vanishing:
            (as_delivered / path).parent.mkdir(parents=True, exist_ok=True)
            (as_delivered / path).write_bytes(grown if path.as_posix() == growing else file.read_bytes())
    found, wanted = built(store, "lake"), built_in_a_folder(as_delivered, tmp_path / "lake")
    # Each run has its rows in the ledger.
    assert {name: rows for name, rows in found.items() if name != "quality.runs"} == {
        name: rows for name, rows in wanted.items() if name != "quality.runs"
    }
