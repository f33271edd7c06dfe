"""Finds the files below a local folder, and says of the others why they are not read."""

import os
from dataclasses import dataclass, field
from pathlib import Path

_LINK = 'which is a link (set links = "follow" in [lagoon] to follow links)'


@dataclass(frozen=True, order=True)
class SkippedFile:
    """A file or folder that is not read. The reason completes the sentence "the first is PATH, …"."""

    path: str
    reason: str


@dataclass(frozen=True)
class FoundFiles:
    # Relative to the root.
    paths: list[str] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)


def find_local_files(root: str, folder: str, *, follow_links: bool) -> FoundFiles:
    """Files below `root`/`folder`. A link that is followed may lead out of the root, but never in a circle."""
    found, top = FoundFiles(), Path(root) / folder
    if top.is_symlink() and not follow_links:
        found.skipped.append(SkippedFile(folder, _LINK))
    elif top.is_dir():
        _walk(top, folder, found, follow_links, (top.resolve(),))
    return found


def _walk(place: Path, path: str, found: FoundFiles, follow_links: bool, above: tuple[Path, ...]) -> None:
    """`path` is that of `place`, relative to the root. `above` are the folders that contain it."""
    try:
        entries = sorted(place.iterdir())
    except OSError as error:
        found.skipped.append(SkippedFile(printable(path), f"which can't be read ({error.strerror})"))
        return
    for entry in entries:
        entry_path = f"{path}/{entry.name}"
        reason = _skip_reason(entry, follow_links, above)
        if reason is not None:
            found.skipped.append(SkippedFile(printable(entry_path), reason))
        elif entry.is_dir():
            _walk(entry, entry_path, found, follow_links, (*above, entry.resolve()))
        else:
            found.paths.append(entry_path)


def _skip_reason(entry: Path, follow_links: bool, above: tuple[Path, ...]) -> str | None:
    if printable(entry.name) != entry.name:
        return "whose name is not valid UTF-8"
    if entry.is_symlink():
        if not follow_links:
            return _LINK
        if Path(os.path.realpath(entry)) in above:
            return "which is a link to a folder that contains it"
    if not entry.is_dir() and not entry.is_file():
        return "which is no file"
    if not os.access(entry, os.R_OK):
        return "which can't be read (Permission denied)"
    return None


def printable(path: str) -> str:
    """A path with `\\x…` for bytes that are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
