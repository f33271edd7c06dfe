"""The lock that lets one process at a time write a lake."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from spark_jobs.errors import UserError
from spark_jobs.lake.location import local_path


class LakeIsLockedError(UserError):
    """Another run writes the lake: nothing has failed."""


@contextlib.contextmanager
def hold_write_lock(uri: str) -> Iterator[None]:
    """Holds the lock, or raises UserError with its holder. The kernel releases it when the process ends, even if killed."""
    folder = local_path(uri)
    if folder is None:  # In an object store Delta's conflict check has to do.
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
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
        yield
    finally:
        os.close(handle)
