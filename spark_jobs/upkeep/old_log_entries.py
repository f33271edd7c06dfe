"""The files of a Delta log that nobody needs who reads a version of the stated window.

Delta writes a checkpoint every ten commits, from which each later version is read. Spark shortens a log by itself too, after
30 days (delta.logRetentionDuration) and when it writes a checkpoint.
"""

import datetime as dt
import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from spark_jobs.lake.file_folder import FoundFile
from spark_jobs.lake.table_folder import LOG, TableFolder, read_parquet

# A commit, a checkpoint, or a checksum of either. Names of other kinds stay.
_ENTRY = re.compile(rf"{LOG}/\.?(?P<version>\d{{20}})\.(json|crc|checkpoint\.parquet)(\.crc)?")
_COMMIT = re.compile(rf"{LOG}/(?P<version>\d{{20}})\.json")
_CHECKPOINT = re.compile(rf"{LOG}/(?P<version>\d{{20}})\.checkpoint\.parquet")


def old_log_entries(table: TableFolder, cutoff: dt.datetime) -> list[FoundFile]:
    """Those before the last checkpoint that is not newer than the version in force at the cutoff."""
    log = table.log_files()
    in_force = _version_at(log, cutoff)
    checkpoints = [(version, file.path) for version, file in _of_kind(_CHECKPOINT, log) if version <= in_force]
    first = next((version for version, path in reversed(checkpoints) if _is_whole(table, path)), 0)
    return [file for version, file in _of_kind(_ENTRY, log) if version < first]


def _of_kind(names: re.Pattern[str], log: Sequence[FoundFile]) -> Iterator[tuple[int, FoundFile]]:
    """The files with such a name, in the order of their names, each with its version."""
    for file in log:
        if found := names.fullmatch(file.path):
            yield int(found["version"]), file


def _is_whole(table: TableFolder, checkpoint: str) -> bool:
    try:
        return bool(read_parquet(table.folder.read(checkpoint) or b"").num_rows)
    except (OSError, pa.ArrowInvalid):
        return False


def _version_at(log: Sequence[FoundFile], at: dt.datetime) -> int:
    """The newest version that was committed before any that was committed later; -1 if none was."""
    in_force = -1
    for version, commit in _of_kind(_COMMIT, log):
        if commit.modified_at > at:
            break
        in_force = version
    return in_force
