"""What the files of a delivery contain, as the ledger fingerprints it: what decides their rows, and the rows by event day."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spark_jobs.bronze.parse import DayAndKind
from spark_jobs.lake.ledger import EventRows, fingerprint


class ReadWith(NamedTuple):
    """What decides the rows of a file beside its content: a fingerprint of settings, and the version of the reader, which is
    null where a version read it that did not record its own."""

    settings: int | None
    reader_version: int | None


class FileContent(NamedTuple):
    """One file of a delivery: its path, what decides its rows (see content_of), and its rows by event day and kind."""

    path: str
    content: str
    rows: Mapping[DayAndKind, int]


def content_of(content_hash: str, read_with: ReadWith) -> str:
    """What decides the rows of a file: its content, and what it is read with. What does not differ from the first version is
    left out, so that the fingerprints of that version stay."""
    return " ".join([content_hash, *(str(part) for part in read_with if part is not None)])


def event_rows_of(contents: Sequence[FileContent]) -> tuple[EventRows, ...]:
    """The rows of a delivery by event day and kind. `contents` are its files, sorted."""
    by_day_and_kind: dict[DayAndKind, list[tuple[str, str, int]]] = defaultdict(list)
    for content in contents:
        for day_and_kind, rows in content.rows.items():
            by_day_and_kind[day_and_kind].append((content.path, content.content, rows))
    return tuple(
        EventRows(day, kind, sum(rows for *_, rows in of_files), fingerprint(of_files))
        for (day, kind), of_files in sorted(by_day_and_kind.items())
    )


def fingerprint_of(contents: Sequence[FileContent]) -> int:
    return fingerprint((content.path, content.content) for content in contents)
