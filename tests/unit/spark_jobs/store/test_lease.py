import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.object_store import ObjectStore

from spark_jobs.errors import UserError
from spark_jobs.lake.write_lock import LakeIsLockedError, hold_write_lock
from spark_jobs.settings import load
from spark_jobs.store.lease import Lease, LeaseIsHeldError, LeaseState, take_lease, wait_for_lease
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess

# Takes the lease of 1,000 seconds, says so, and waits to be killed.
HOLD = """
import sys, time
from spark_jobs.settings import load
from spark_jobs.settings import load
from spark_jobs.store.lease import take_lease
from spark_jobs.store.object_folder import ObjectFolder
take_lease(ObjectFolder(sys.argv[1], load().store), "lease", seconds=1000)
print("held", flush=True)
time.sleep(1000)
"""


@pytest.fixture
def folder(object_store: ObjectStore, store_access: StoreAccess, request: pytest.FixtureRequest) -> ObjectFolder:
    return ObjectFolder(object_store.uri(request.node.name), store_access)


def test_one_process_at_a_time_holds_the_lease(folder: ObjectFolder) -> None:
    lease = take_lease(folder, "lease")
    with pytest.raises(LeaseIsHeldError, match=rf"process {os.getpid()} on ") as held:
        take_lease(folder, "lease")
    assert 100 < held.value.seconds_left <= 120
    lease.require()

    lease.release()

    take_lease(folder, "lease").release()


def test_of_many_that_take_it_at_once_one_gets_it(folder: ObjectFolder) -> None:
    def attempt(_: int) -> Lease | None:
        try:
            return take_lease(folder, "lease")
        except LeaseIsHeldError:
            return None

    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            taken = [lease for lease in pool.map(attempt, range(8)) if lease is not None]
        assert len(taken) == 1
        taken[0].release()


def test_a_lease_is_renewed_while_its_holder_works(folder: ObjectFolder) -> None:
    lease = take_lease(folder, "lease", seconds=2)
    renewed = threading.Event()
    first_end = lease.seconds_left
    calls: list[float] = []

    def count(seconds_left: float) -> None:
        calls.append(seconds_left)
        if len(calls) > 10:
            renewed.set()

    lease.watch(count)

    assert renewed.wait(30), "ten renewals are longer than the lease would have held"
    assert calls[-1] > 0
    assert first_end <= 2
    lease.require()
    with pytest.raises(LeaseIsHeldError):
        take_lease(folder, "lease", seconds=2)
    lease.release()


def test_the_lease_of_a_killed_process_of_this_machine_is_taken_over_at_once(
    folder: ObjectFolder, object_store: ObjectStore
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder.uri],
        env=os.environ | object_store.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(LeaseIsHeldError, match=f"process {process.pid} on "):
        take_lease(folder, "lease")

    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()

    take_lease(folder, "lease").release()


def test_the_lease_of_another_machine_is_taken_over_when_it_was_not_renewed(folder: ObjectFolder) -> None:
    silent = LeaseState("process 1 on elsewhere", "another machine", 1, "5", 2.0, "token")
    folder.write("lease", silent.encoded())
    with pytest.raises(LeaseIsHeldError, match=r"process 1 on elsewhere"):
        take_lease(folder, "lease")

    lease = wait_for_lease(folder, "lease")

    lease.require()
    lease.release()


def test_who_has_lost_the_lease_commits_nothing_more_and_takes_nothing_away(folder: ObjectFolder) -> None:
    lease, lost = take_lease(folder, "lease", seconds=2), threading.Event()
    seen: list[float] = []

    def notice(seconds_left: float) -> None:
        seen.append(seconds_left)
        if seconds_left <= 0:
            lost.set()

    lease.watch(notice)
    # As if this process had slept: another one has taken over.
    other = LeaseState("process 1 on elsewhere", "another machine", 1, "5", 1000.0, "token")
    folder.write("lease", other.encoded())

    assert lost.wait(30)
    with pytest.raises(
        UserError, match=r"could not renew its lease of .* within 2 s, and another one may write it now"
    ):
        lease.require()
    lease.release()
    found = folder.read("lease")
    assert found is not None
    assert LeaseState.decoded(found.content) == other


def test_a_lease_that_can_not_be_renewed_ends_by_itself(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path)
    store.start()
    lease = take_lease(ObjectFolder(store.uri("x"), load(environment=store.environment()).store), "lease", seconds=1)
    lease.require()

    store.stop()

    deadline = time.monotonic() + 30
    while lease.seconds_left > 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(UserError, match=r"could not renew its lease of .* within 1 s"):
        lease.require()


def test_a_lake_in_a_store_has_one_writer(object_store: ObjectStore, store_access: StoreAccess) -> None:
    uri = object_store.uri("locked-lake")
    with hold_write_lock(uri, store_access) as lease:
        assert lease is not None
        with (
            pytest.raises(
                LakeIsLockedError,
                match=rf"the lake {uri} is being written by process {os.getpid()} on .*\. Wait until it ends, then run this "
                r"again. If it was killed, its lease ends in \d+ s\.",
            ),
            hold_write_lock(uri, store_access),
        ):
            pass
    with hold_write_lock(uri, store_access):
        pass
