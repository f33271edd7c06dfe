"""A folder with files, on this machine or in an object store: whole files, read, listed, written and deleted in the same way."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

# A store takes its time for each answer, and gives many at once.
REQUESTS_AT_ONCE = 8


class FoundFile(NamedTuple):
    path: str
    size: int
    # By the clock of the store, if it is in one.
    modified_at: dt.datetime


class FileFolder(Protocol):
    """Every `path` is relative to the folder."""

    @property
    def uri(self) -> str: ...

    @property
    def delta_options(self) -> dict[str, str]:
        """How the deltalake package reaches it."""

    def below(self, path: str) -> "FileFolder":
        """A folder in it."""

    def read(self, path: str) -> bytes | None: ...

    def read_each(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        """Some of them at once, if that is faster."""

    def write(self, path: str, content: bytes) -> None:
        """Replaces the file as a whole: readers see the old content or the new one."""

    def create(self, path: str, content: bytes) -> bool:
        """Writes the file as a whole, unless there is one: of several processes one does. Returns whether it did."""

    def delete(self, paths: Iterable[str]) -> None:
        """Deletes files, as far as they are there."""

    def modified_at(self, path: str) -> dt.datetime | None: ...

    def files(self, path: str = "") -> list[FoundFile]:
        """All files in a folder and in those below it, in the order of their paths. None if there is no such folder."""

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder."""

    def has_versions(self, path: str) -> bool:
        """Whether earlier contents of the file are kept when it is written or deleted: some buckets do so."""

    def address(self, path: str) -> str:
        """The file, as a person names it."""
