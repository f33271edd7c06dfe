"""What only the name of a tool's output can tell: when it was taken and, of a list of offsets, which end of the logs.

Kafka's tools print neither the time nor which end was asked for.
"""

import re
from datetime import UTC, datetime

_COMPACT = re.compile(r"(?<!\d)\d{8}T\d{6}Z")
_DASHED = re.compile(r"(?<!\d)\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_LOG_ENDS = {
    "start": "log_start_offset",
    "earliest": "log_start_offset",
    "end": "log_end_offset",
    "latest": "log_end_offset",
}
# The offsets of tiered storage are other numbers: `earliest-local` is not where a log starts.
_OTHER_OFFSETS = {"local", "tiered", "timestamp"}


class UnusableNameError(Exception):
    """The file can't be used, because of what its name doesn't say."""


def taken_at(name: str) -> datetime:
    """The time in the last part of a path."""
    last = name.rpartition("/")[2]
    for pattern, layout in ((_COMPACT, "%Y%m%dT%H%M%SZ"), (_DASHED, "%Y-%m-%dT%H-%M-%SZ")):
        for found in pattern.findall(last):
            try:
                return datetime.strptime(found, layout).replace(tzinfo=UTC)
            except ValueError:
                continue
    raise UnusableNameError(
        f"the name {last!r} has no time such as 20260131T235959Z or 2026-01-31T23-59-59Z, and the content has none"
    )


def end_of_log(name: str) -> str:
    """The column that a list of offsets fills."""
    last = name.rpartition("/")[2]
    words = set(re.findall(r"[a-z]+", last.lower()))
    ends = {_LOG_ENDS[word] for word in words & set(_LOG_ENDS)}
    if len(ends) != 1 or words & _OTHER_OFFSETS:
        raise UnusableNameError(f"the name {last!r} says neither start (earliest) nor end (latest) of the logs")
    return ends.pop()
