"""The files of a Delta log that nobody needs who reads a version of the stated window.

Delta writes a checkpoint every ten commits, from which each later version is read. Spark shortens a log by itself too, after
30 days (delta.logRetentionDuration) and when it writes a checkpoint.
"""

import datetime as dt
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.lake.table_folder import TableFolder

# A commit, a checkpoint, or a checksum of either. Names of other kinds stay.
_ENTRY = re.compile(r"\.?(?P<version>\d{20})\.(json|crc|checkpoint\.parquet)(\.crc)?")
_CHECKPOINT = re.compile(r"(?P<version>\d{20})\.checkpoint\.parquet")


def old_log_entries(table: TableFolder, cutoff: dt.datetime) -> list[Path]:
    """Those before the last checkpoint that is not newer than the version in force at the cutoff."""
    in_force = _version_at(table.log, cutoff)
    checkpoints = [
        int(found["version"])
        for path in table.log.iterdir()
        if (found := _CHECKPOINT.fullmatch(path.name)) and int(found["version"]) <= in_force and _is_whole(path)
    ]
    first = max(checkpoints, default=0)
    return sorted(
        path for path in table.log.iterdir() if (found := _ENTRY.fullmatch(path.name)) and int(found["version"]) < first
    )


def _is_whole(checkpoint: Path) -> bool:
    try:
        return bool(pq.read_metadata(checkpoint).num_rows)
    except (OSError, pa.ArrowInvalid):
        return False


def _version_at(log: Path, at: dt.datetime) -> int:
    """The newest version that was committed before any that was committed later; -1 if none was."""
    in_force = -1
    for commit in sorted(log.glob("*.json")):
        if commit.stat().st_mtime > at.timestamp():
            break
        if commit.stem.isdecimal():
            in_force = int(commit.stem)
    return in_force
