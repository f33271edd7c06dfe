"""Where a landing folder or a lake is: on this machine or in an object store."""

from pathlib import Path
from urllib.parse import quote

from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess


def local_path(uri: str) -> Path | None:
    """The path of a URI on this machine, or None for an object store."""
    if uri.startswith("file:"):
        return Path(uri.removeprefix("file://").removeprefix("file:"))
    return None if "://" in uri else Path(uri)


def absolute_uri(uri: str) -> str:
    path = local_path(uri)
    return uri.rstrip("/") if path is None else str(path.absolute())


def has_lake(uri: str, access: StoreAccess) -> bool:
    path = local_path(uri)
    return (path / "quality").is_dir() if path is not None else ObjectFolder(uri, access).has_any("quality/")


def is_default_lake(uri: str) -> bool:
    return absolute_uri(uri) == absolute_uri("./lake")


# Bytes that a file system allows in the name of a folder.
_LONGEST_NAME = 255


def partition_folder(column: str, value: str) -> str:
    """The folder of a partition: `cluster=eu`."""
    return f"{column}={quote(value, safe=' ')}"


def is_possible_cluster(name: str) -> bool:
    """Whether the lake can have a folder for the cluster."""
    return len(partition_folder("cluster", name)) <= _LONGEST_NAME
