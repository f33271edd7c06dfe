"""The versions of Lagoon that have written a lake: an empty file for each in its folder `versions`. The highest is that of the
lake.

Files are added and never changed, so that two processes that write at once, in an object store too, can't take back what the
other one wrote. A lake without the folder was built before lakes had versions. docs/decisions/0038-lake-versions.md
"""

from collections.abc import Iterable
from pathlib import Path

from spark_jobs.errors import UserError

# Raise it when a program of before could not work with what this one writes: tables, columns, codecs, meaning of rows. The
# build version of silver and the reader versions of bronze say what is rebuilt.
LAKE_VERSION = 13

VERSIONS = "versions"


def newest_version(files: Iterable[str]) -> int | None:
    """Of the names of the files in the folder; None if there is no version."""
    return max((int(name) for name in files if name.isdecimal()), default=None)


def require_known_version(lake: Path) -> None:
    """Raises UserError if a newer version of Lagoon has written a lake on this machine. Those in an object store are looked
    at when Spark opens them."""
    refuse_newer(str(lake), _version_of(lake))


def is_older(lake: Path) -> bool:
    """Whether only earlier versions of Lagoon have written a lake on this machine: the next run brings it to this one."""
    return lake.is_dir() and (_version_of(lake) or 0) < LAKE_VERSION


def _version_of(lake: Path) -> int | None:
    folder = lake / VERSIONS
    return newest_version(path.name for path in folder.iterdir()) if folder.is_dir() else None


def refuse_newer(lake: str, version: int | None) -> None:
    if version is not None and version > LAKE_VERSION:
        raise UserError(
            f"the lake {lake} was written by a newer version of Lagoon (the lake has version {version}, and this program knows "
            f"versions up to {LAKE_VERSION})",
            "Update Lagoon, or name another lake with --lake",
        )
