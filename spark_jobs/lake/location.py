"""Where a landing folder or a lake is: on this machine or in an object store."""

from pathlib import Path


def local_path(uri: str) -> Path | None:
    """The path of a URI on this machine, or None for an object store."""
    if uri.startswith("file:"):
        return Path(uri.removeprefix("file://").removeprefix("file:"))
    return None if "://" in uri else Path(uri)


def absolute_uri(uri: str) -> str:
    path = local_path(uri)
    return uri.rstrip("/") if path is None else str(path.absolute())


def is_default_lake(uri: str) -> bool:
    return absolute_uri(uri) == absolute_uri("./lake")
