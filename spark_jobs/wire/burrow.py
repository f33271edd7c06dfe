"""Answers of Burrow's HTTP API v3: a group's status or lag, its commits, a topic's log ends.

Burrow's `current_lag` is unsigned: below zero it wraps. Its `end` is the last commit it saw; the lag there is that at
the time of the commit.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from spark_jobs.wire.json_documents import TornJsonError, documents
from spark_jobs.wire.lag_file_name import UnusableNameError, taken_at
from spark_jobs.wire.lag_reading import details_of, lag_readings, rejected_file, unknown_lines
from spark_jobs.wire.receipt import Reading, Receipt

_URL = re.compile(r"/v3/kafka/(?P<cluster>[^/]+)(?:/consumer/(?P<group>[^/]+)|/topic/(?P<topic>[^/]+))?")
_WRAPPED = 1 << 63
Row = dict[str, Any]


def looks_like(head: str) -> bool:
    return re.search(r'"url"\s*:\s*"/v3/kafka', head) is not None or (
        re.search(r'"error"\s*:\s*(?:true|false)', head) is not None
        and re.search(r'"(?:current[_-]lag|partition_count|totallag|consumers|topics|offsets)"\s*:', head) is not None
    )


def read(file: BinaryIO, name: str) -> Reading:
    try:
        in_name: datetime | None = taken_at(name)
    except UnusableNameError:
        in_name = None
    rows: list[Row] = []
    strange: list[tuple[int, str]] = []
    errors: list[str] = []
    records = ignored = 0
    try:
        for answer in documents(file.read()):
            if answer.get("error"):
                errors.append(f"Burrow answered: {answer.get('message')}")
                continue
            found = _records(answer)
            records += len(found)
            told = [row for row in found if row is not None]
            ignored += len(found) - len(told)
            rows += told
    except (TornJsonError, AttributeError, TypeError, KeyError, ValueError, OverflowError) as torn:
        records += 1
        strange.append((len(rows), str(torn)))
    if errors and not records:
        yield from rejected_file("; ".join(dict.fromkeys(errors)), "burrow")
    for place, row in enumerate(rows):
        row["source_position"] = place
        row["sampled_at"] = in_name or row["sampled_at"]
    if any(row["sampled_at"] is None for row in rows):
        problem = f"the name {name.rpartition('/')[2]!r} has no time, and a partition without a commit has none"
        yield from rejected_file(problem, "burrow")
        return Receipt("burrow", records, 0, not_understood=records, details={"rejected_file": 1})
    yield from _readings(rows)
    yield from unknown_lines(strange, "burrow", in_name)
    return Receipt("burrow", records, len(rows), len(strange), ignored)


def _records(answer: dict[str, Any]) -> list[Row | None]:
    """A row a partition; none for each thing that is no number of a partition."""
    url = _URL.match(urlsplit(str(answer.get("request", {}).get("url", ""))).path)
    about = {part: unquote(value) for part, value in (url.groupdict() if url else {}).items() if value}
    status = answer.get("status")
    if isinstance(status, dict) and "partitions" in status:
        return [*(_partition(status, part) for part in status["partitions"]), _group(status)]
    if isinstance(answer.get("topics"), dict):
        return [
            _commits(about, topic, place, part)
            for topic, parts in answer["topics"].items()
            for place, part in enumerate(parts)
        ]
    if isinstance(answer.get("offsets"), list) and "topic" in about:
        return [
            {"kind": "log_offset", "topic": about["topic"], "partition_id": place, "log_end_offset": _unsigned(offset),
             "sampled_at": None, "details": {"cluster": about.get("cluster")}}
            for place, offset in enumerate(answer["offsets"])
        ]  # fmt: skip
    lists = [value for key, value in answer.items() if isinstance(value, list)]
    return [None for value in lists for _ in value]


def _group(status: dict[str, Any]) -> Row:
    ends = [_seen(part.get("end")) for part in status["partitions"]]
    return {
        "kind": "group_state",
        "group_id": status.get("group"),
        "sampled_at": max((end for end in ends if end), default=None),
        "details": {
            "cluster": status.get("cluster"),
            "status": status.get("status"),
            "partitions": status.get("partition_count"),
            "total_lag": _unsigned(status.get("totallag")),
        },
    }


def _partition(status: dict[str, Any], part: dict[str, Any]) -> Row:
    row = _position(part, part.get("current_lag"), part.get("end"))
    row |= {"group_id": status.get("group"), "topic": part.get("topic"), "partition_id": part.get("partition")}
    start = part.get("start") or {}
    row["details"] |= {
        "cluster": status.get("cluster"),
        "status": part.get("status"),
        "complete": part.get("complete"),
        "window_start_offset": start.get("offset"),
        "window_start_ms": start.get("timestamp"),
    }
    return row


def _commits(about: dict[str, str], topic: str, place: int, part: dict[str, Any]) -> Row:
    seen = [offset for offset in part.get("offsets") or () if offset]
    row = _position(part, part.get("current-lag"), seen[-1] if seen else None)
    row |= {"group_id": about.get("group"), "topic": topic, "partition_id": place}
    row["details"]["cluster"] = about.get("cluster")
    return row


def _position(part: dict[str, Any], lag: Any, end: dict[str, Any] | None) -> Row:
    end = end or {}
    return {
        "kind": "group_offset",
        "sampled_at": _seen(end),
        "committed_offset": _unsigned(end.get("offset")),
        "reported_lag": _unsigned(lag),
        "lag_meaning": "unsigned",
        "client_id": part.get("client_id") or None,
        "client_host": part.get("owner") or None,  # Burrow's owner is the host
        "details": {
            "commit_timestamp_ms": end.get("timestamp"),
            "lag_at_commit": _unsigned(end.get("lag")),
            "lag_problem": None if lag is None or _unsigned(lag) is not None else f"wrapped below zero: {lag}",
        },
    }


def _unsigned(lag: Any) -> int | None:
    return lag if isinstance(lag, int) and 0 <= lag < _WRAPPED else None


def _seen(end: dict[str, Any] | None) -> datetime | None:
    milliseconds = (end or {}).get("observedAt") or (end or {}).get("timestamp")
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _readings(rows: list[Row]) -> Iterator[Any]:
    names = {key for row in rows for key in row}
    columns = {name: [row.get(name) for row in rows] for name in names - {"details"}}
    keys = list(dict.fromkeys(key for row in rows for key in row["details"]))
    told = {key: [_text(row["details"].get(key)) for row in rows] for key in keys}
    yield from lag_readings(len(rows), columns | {"reporter": "burrow", "details": details_of(told, len(rows))})


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
