"""Reads from a file name what Kafka's tools do not print: the time and, for a list of offsets, which end of the logs."""

import re
from datetime import UTC, datetime

_COMPACT = re.compile(r"(?<!\d)\d{8}T\d{6}Z")
_DASHED = re.compile(r"(?<!\d)\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_OFFSET_COLUMNS = {
    "start": "log_start_offset",
    "earliest": "log_start_offset",
    "end": "log_end_offset",
    "latest": "log_end_offset",
}
# Offsets of tiered storage are different numbers: `earliest-local` is not where a log starts.
_OTHER_OFFSETS = {"local", "tiered", "timestamp"}


class UnusableNameError(Exception):
    """The name of a file lacks something that its content does not contain either."""


def time_in_name(name: str) -> datetime:
    """The time in the last part of a path."""
    file_name = name.rpartition("/")[2]
    for pattern, layout in ((_COMPACT, "%Y%m%dT%H%M%SZ"), (_DASHED, "%Y-%m-%dT%H-%M-%SZ")):
        for text in pattern.findall(file_name):
            try:
                return datetime.strptime(text, layout).replace(tzinfo=UTC)
            except ValueError:
                continue
    raise UnusableNameError(
        f"the name {file_name!r} has no time such as 20260131T235959Z or 2026-01-31T23-59-59Z, and the content has none"
    )


def offset_column(name: str) -> str:
    """The column that the offsets in the file belong to: log_start_offset or log_end_offset."""
    file_name = name.rpartition("/")[2]
    words = set(re.findall(r"[a-z]+", file_name.lower()))
    columns = {_OFFSET_COLUMNS[word] for word in words & set(_OFFSET_COLUMNS)}
    if len(columns) != 1 or words & _OTHER_OFFSETS:
        raise UnusableNameError(f"the name {file_name!r} says neither start (earliest) nor end (latest) of the logs")
    return columns.pop()
