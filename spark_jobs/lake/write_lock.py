"""The lock that lets one process at a time write a lake: of the kernel on this machine, a lease in an object store."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from spark_jobs.errors import UserError
from spark_jobs.lake.location import local_path
from spark_jobs.store.lease import Lease, LeaseIsHeldError, take_lease
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess

LOCK = ".lock"


class LakeIsLockedError(UserError):
    """Another run writes the lake: nothing has failed."""


def without_lock() -> None:
    """On this machine the lock ends with the process, and not before."""


@contextlib.contextmanager
def hold_write_lock(uri: str, access: StoreAccess = DEFAULT_ACCESS) -> Iterator[Lease | None]:
    """Holds the lock, or raises UserError with its holder. It ends with the process, even if killed. Yields the lease of a
    lake in an object store: whoever commits has to ask whether it still holds."""
    folder = local_path(uri)
    if folder is None:
        with _leased(ObjectFolder(uri, access)) as lease:
            yield lease
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(
            f"the lake {folder} can't be written ({error.strerror})",
            "Correct the folder's permissions or choose another --lake",
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode() or "another process"
            raise LakeIsLockedError(
                f"the lake {folder} is being written by {holder}", "Wait until it ends, then run this again"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()}".encode(), 0)
        yield None
    finally:
        os.close(handle)


@contextlib.contextmanager
def _leased(folder: ObjectFolder) -> Iterator[Lease]:
    try:
        lease = take_lease(folder, LOCK)
    except LeaseIsHeldError as held:
        raise LakeIsLockedError(
            f"the lake {folder.uri} is being written by {held.holder}",
            f"Wait until it ends, then run this again. If it was killed, its lease ends in {held.seconds_left:.0f} s",
        ) from None
    try:
        yield lease
    finally:
        lease.release()
