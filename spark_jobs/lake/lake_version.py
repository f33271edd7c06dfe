"""The versions of Lagoon that have written a lake: an empty file for each in its folder `versions`. The highest is that of the
lake.

Files are added and never changed, so that two processes that write at once, in an object store too, can't take back what the
other one wrote. A lake without the folder was built before lakes had versions. docs/decisions/0038-lake-versions.md
"""

from collections.abc import Iterable
from pathlib import Path

from spark_jobs.errors import UserError
from spark_jobs.lake.location import has_lake, local_path
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess

# Raise it when a program of before could not work with what this one writes: tables, columns, codecs, meaning of rows. The
# build version of silver and the reader versions of bronze say what is rebuilt.
LAKE_VERSION = 13

VERSIONS = "versions"


def newest_version(files: Iterable[str]) -> int | None:
    """Of the names of the files in the folder; None if there is no version."""
    return max((int(name) for name in files if name.isdecimal()), default=None)


def require_lake(uri: str, access: StoreAccess = DEFAULT_ACCESS) -> None:
    """Raises UserError if there is no lake, or a newer one than this program knows: found out before Spark starts."""
    require_known_version(uri, access)
    if not has_lake(uri, access):
        raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")


def require_known_version(uri: str, access: StoreAccess = DEFAULT_ACCESS) -> None:
    """Raises UserError if a newer version of Lagoon has written the lake."""
    refuse_newer(uri, _version_of(uri, access))


def is_older(lake: Path) -> bool:
    """Whether only earlier versions of Lagoon have written a lake on this machine: the next run brings it to this one."""
    return lake.is_dir() and (_version_of(str(lake), DEFAULT_ACCESS) or 0) < LAKE_VERSION


def _version_of(uri: str, access: StoreAccess) -> int | None:
    lake = local_path(uri)
    if lake is None:
        return newest_version(path.rpartition("/")[2] for path in ObjectFolder(uri, access).paths(f"{VERSIONS}/"))
    folder = lake / VERSIONS
    return newest_version(path.name for path in folder.iterdir()) if folder.is_dir() else None


def refuse_newer(lake: str, version: int | None) -> None:
    if version is not None and version > LAKE_VERSION:
        raise UserError(
            f"the lake {lake} was written by a newer version of Lagoon (the lake has version {version}, and this program knows "
            f"versions up to {LAKE_VERSION})",
            "Update Lagoon, or name another lake with --lake",
        )
