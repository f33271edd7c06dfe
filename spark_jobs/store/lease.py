"""A lease: an object that only one process at a time holds, until it ends it or no longer renews it.

Every change of the object is conditional on the version that was read, so of two processes that take it one fails. How old it
is says the clock of the store, and how long it still holds the clock of its holder since the last renewal: no two clocks are
compared.
"""

import contextlib
import datetime as dt
import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from spark_jobs.errors import UserError
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import user_name

LEASE_SECONDS = 120.0
_RENEWALS = 6


@dataclass(frozen=True)
class LeaseState:
    """What the object contains."""

    holder: str
    # Of the process, to notice on its own machine that it has ended.
    machine: str
    process: int
    process_started: str
    seconds: float
    # New in every version: versions with the same content would have the same tag.
    token: str
    is_released: bool = False

    def encoded(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def decoded(content: bytes) -> "LeaseState":
        return LeaseState(**json.loads(content))

    @property
    def has_ended(self) -> bool:
        """Whether the process of the holder, on this machine, no longer runs."""
        return self.machine == _machine() and _started_at(self.process) != self.process_started


class LeaseIsHeldError(Exception):
    def __init__(self, holder: str, age: float, seconds: float) -> None:
        super().__init__(holder)
        self.holder = holder
        self.seconds_left = max(0.0, seconds - age)


class Lease:
    """Held by this process. A thread renews it."""

    def __init__(self, folder: ObjectFolder, path: str, state: LeaseState, version: str, taken_at: float) -> None:
        self._folder, self._path = folder, path
        self._state, self._version = state, version
        self._until = taken_at + state.seconds
        self._taken_over = False
        self._watchers: list[Callable[[float], None]] = []
        self._ended = threading.Event()
        # Of the state and the watchers.
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._renew_until_released, daemon=True, name="lease")
        self._thread.start()

    def watch(self, notify: Callable[[float], None]) -> None:
        """Calls a function now and after every renewal, with the seconds for which the lease holds."""
        with self._lock:
            self._watchers.append(notify)
            notify(self.seconds_left)

    @property
    def seconds_left(self) -> float:
        return 0.0 if self._taken_over else self._until - boot_clock()

    def require(self) -> None:
        """Raises UserError if another process may have the lease now."""
        if self.seconds_left <= 0:
            raise lease_lost(self._folder.uri, self._state.seconds)

    def store_time(self) -> dt.datetime:
        """The time by the clock of the store."""
        return _now_at(self._folder, self._path)

    def release(self) -> None:
        self._ended.set()
        self._thread.join()
        if not self._taken_over:
            released = replace(self._state, is_released=True)
            # A store that does not answer may be what ended the work. Then the lease ends by itself. It is not deleted: a
            # delete has no condition, and could meet the lease of a process that took it over.
            with contextlib.suppress(UserError):
                self._folder.write_if(self._path, released.encoded(), self._version)

    def _renew_until_released(self) -> None:
        while not self._ended.wait(self._state.seconds / _RENEWALS) and not self._taken_over:
            self._renew()

    def _renew(self) -> None:
        state, begun_at = replace(self._state, token=_new_token()), boot_clock()
        try:
            version = self._folder.write_if(self._path, state.encoded(), self._version)
        except UserError:
            return  # The store may answer before the lease ends.
        with self._lock:
            if version is None:
                self._taken_over = True
            else:
                self._state, self._version, self._until = state, version, begun_at + state.seconds
            for notify in self._watchers:
                notify(self.seconds_left)


def take_lease(folder: ObjectFolder, path: str, *, seconds: float = LEASE_SECONDS) -> Lease:
    """Takes the lease, or raises LeaseIsHeldError. Takes over one that was released, whose holder has ended, or that was not
    renewed in its time."""
    state = LeaseState(user_name(), _machine(), os.getpid(), _started_at(os.getpid()), seconds, _new_token())
    while True:
        found, begun_at = folder.read(path), boot_clock()
        if found is not None:
            held = LeaseState.decoded(found.content)
            if not held.is_released and not held.has_ended:
                age = (_now_at(folder, path) - found.modified_at).total_seconds()
                # The store keeps whole seconds.
                if age < held.seconds + 1:
                    raise LeaseIsHeldError(held.holder, age, held.seconds)
        version = folder.write_if(path, state.encoded(), found.version if found else None)
        if version is not None:
            _require_conditions(folder, path)
            return Lease(folder, path, state, version, begun_at)


def wait_for_lease(folder: ObjectFolder, path: str, *, seconds: float = LEASE_SECONDS) -> Lease:
    while True:
        try:
            return take_lease(folder, path, seconds=seconds)
        except LeaseIsHeldError:
            time.sleep(0.2)


def lease_lost(uri: str, seconds: float) -> UserError:
    return UserError(
        f"this process could not renew its lease of {uri} within {seconds:g} s, and another one may write it now",
        "Look whether the object store answers, then run this again: no table is half-written",
    )


def boot_clock() -> float:
    """Seconds that go on while the machine sleeps, where the system can count them, and that nobody sets back."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _require_conditions(folder: ObjectFolder, path: str) -> None:
    """Raises UserError if the store ignores conditions: then two processes could both have the lease."""
    probe = f"{path}.probe"
    folder.write(probe, b"")
    if folder.write_if(probe, _new_token().encode(), None) is not None:
        raise UserError(
            f"the object store of {folder.uri} does not honour conditional writes (If-None-Match), and so two runs could "
            "lose each other's rows",
            "Use a store that does, or update it: docs/operations.md",
        )


def _now_at(folder: ObjectFolder, path: str) -> dt.datetime:
    """The time by the clock of the store: that of an object written now."""
    clock = f"{path}.clock"
    folder.write(clock, b"")
    return folder.modified_at(clock) or dt.datetime.now(dt.UTC)


def _new_token() -> str:
    return secrets.token_hex(8)


def _machine() -> str:
    """The machine since it was started, and the container: numbers of processes mean something only there."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return secrets.token_hex(8)  # Not known, and so never the same.


def _started_at(process: int) -> str:
    """When a process started, by which it differs from a later one of the same number. Empty if there is none."""
    try:
        # After the name, which may contain anything.
        fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    # A process that has ended, and whose parent has not asked yet.
    return "" if fields[0] in "ZX" else fields[19]
