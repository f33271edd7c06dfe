"""Responses of Burrow's HTTP API v3: a group's status or lag, its commits, a topic's log ends.

Burrow's `current_lag` is unsigned: a negative lag wraps around. Its `end` is the last commit that it read, with the lag
at the time of that commit.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from kafka_telemetry.formats.json_documents import IncompleteJsonError, json_excerpt, parse_json_documents
from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, time_in_name
from kafka_telemetry.formats.lag.lag_reading import details_column, reading_batches, rejected_file, unknown_lines
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

_URL = re.compile(r"/v3/kafka/(?P<cluster>[^/]+)(?:/consumer/(?P<group>[^/]+)|/topic/(?P<topic>[^/]+))?")
_WRAPPED = 1 << 63
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)

_Row = dict[str, Any]
# Part of a response and the function that builds its row; None for a part without offsets, such as a list of names.
_Part = tuple[Any, Callable[[], _Row] | None]


def looks_like(head: str) -> bool:
    return re.search(r'"url"\s*:\s*"/v3/kafka', head) is not None or (
        re.search(r'"error"\s*:\s*(?:true|false)', head) is not None
        and re.search(r'"(?:current[_-]lag|partition_count|totallag|consumers|topics|offsets)"\s*:', head) is not None
    )


def read(file: BinaryIO, name: str) -> Reading:
    try:
        time_of_file: datetime | None = time_in_name(name)
    except UnusableNameError:
        time_of_file = None
    rows: list[_Row] = []
    not_understood: list[tuple[int, str]] = []
    errors: list[str] = []
    place = ignored = 0
    try:
        for response in parse_json_documents(file.read()):
            if isinstance(response, dict) and response.get("error"):
                message = response.get("message")
                errors.append(f"Burrow answered: {message if isinstance(message, str) else json_excerpt(message)}")
                continue
            for part, build_row in _parts(response):
                if build_row is None:
                    ignored += 1
                else:
                    try:
                        row = build_row()
                        details = {key: _text(value) for key, value in row["details"].items()}
                        rows.append(row | {"source_position": place, "details": details})
                    except _MALFORMED:
                        not_understood.append((place, json_excerpt(part)))
                place += 1
    except IncompleteJsonError as error:
        not_understood.append((place, str(error)))
        place += 1
    if errors:
        yield from rejected_file("; ".join(dict.fromkeys(errors)), "burrow")
    for row in rows:
        row["sampled_at"] = time_of_file or row["sampled_at"]
    if any(row["sampled_at"] is None for row in rows):
        problem = f"the name {name.rpartition('/')[2]!r} has no time, and a partition without a commit has none"
        yield from rejected_file(problem, "burrow")
        return Receipt("burrow", place, 0, not_understood=place, details={"rejected_file": 1})
    yield from _batches(rows)
    yield from unknown_lines(not_understood, "burrow", time_of_file)
    return Receipt("burrow", place, len(rows), len(not_understood), ignored)


def _parts(response: Any) -> Iterator[_Part]:
    if not isinstance(response, dict):
        yield response, partial(_not_a_response, response)
        return
    request, status = response.get("request"), response.get("status")
    in_url = _names_in_url(request.get("url") if isinstance(request, dict) else None)
    if isinstance(status, dict) and isinstance(status.get("partitions"), list):
        for part in status["partitions"]:
            yield part, partial(_partition, status, part)
        yield {key: value for key, value in status.items() if key != "partitions"}, partial(_group, status)
    elif isinstance(response.get("topics"), dict):
        for topic, parts in response["topics"].items():
            for place, part in enumerate(parts if isinstance(parts, list) else ()):
                yield part, partial(_commits, in_url, topic, place, part)
    elif isinstance(response.get("offsets"), list) and "topic" in in_url:
        for place, offset in enumerate(response["offsets"]):
            yield offset, partial(_log_end, in_url, place, offset)
    else:
        for names in response.values():
            yield from ((name, None) for name in (names if isinstance(names, list) else ()))


def _not_a_response(document: Any) -> _Row:
    raise TypeError(f"a response of Burrow is no {type(document).__name__}")


def _names_in_url(url: Any) -> dict[str, str]:
    try:
        match = _URL.match(urlsplit(url).path) if isinstance(url, str) else None
    except ValueError:  # such as an open bracket in the host
        match = None
    return {part: unquote(value) for part, value in (match.groupdict() if match else {}).items() if value}


def _group(status: _Row) -> _Row:
    return {
        "kind": "group_state",
        "group_id": _name(status["group"]),
        "sampled_at": max((time for part in status["partitions"] if (time := _commit_time(part["end"]))), default=None),
        "details": {
            "cluster": status.get("cluster"),
            "status": status.get("status"),
            "partitions": status.get("partition_count"),
            "total_lag": _unsigned(status.get("totallag")),
        },
    }


def _partition(status: _Row, part: _Row) -> _Row:
    row = _position(part, part["current_lag"], part["end"])
    start = part["start"] or {}
    row["details"] |= {
        "cluster": status.get("cluster"),
        "status": part.get("status"),
        "complete": part.get("complete"),
        "window_start_offset": start.get("offset"),
        "window_start_ms": start.get("timestamp"),
    }
    return row | {
        "group_id": _name(status["group"]),
        "topic": _name(part["topic"]),
        "partition_id": _partition_id(part["partition"]),
    }


def _commits(in_url: dict[str, str], topic: str, place: int, part: _Row) -> _Row:
    commits = [offset for offset in part["offsets"] if offset]
    row = _position(part, part["current-lag"], commits[-1] if commits else None)
    row["details"]["cluster"] = in_url.get("cluster")
    return row | {"group_id": in_url.get("group"), "topic": topic, "partition_id": place}


def _log_end(in_url: dict[str, str], place: int, offset: Any) -> _Row:
    return {
        "kind": "log_offset",
        "topic": in_url["topic"],
        "partition_id": place,
        "log_end_offset": _unsigned(offset),
        "sampled_at": None,
        "details": {"cluster": in_url.get("cluster")},
    }


def _position(part: _Row, lag: Any, end: _Row | None) -> _Row:
    sampled_at, end = _commit_time(end), end or {}
    return {
        "kind": "group_offset",
        "sampled_at": sampled_at,
        "committed_offset": _unsigned(end.get("offset")),
        "reported_lag": _unsigned(lag),
        "lag_meaning": "unsigned",
        "client_id": _name(part.get("client_id")),
        "client_host": _name(part.get("owner")),  # Burrow's owner is the host
        "details": {
            "commit_timestamp_ms": end.get("timestamp"),
            "lag_at_commit": _unsigned(end.get("lag")),
            "lag_problem": None if lag is None or _unsigned(lag) is not None else f"wrapped below zero: {lag}",
        },
    }


def _name(text: Any) -> str | None:
    if text is not None and not isinstance(text, str):
        raise TypeError(f"{text!r} is not a name")
    return text or None


def _partition_id(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 1 << 31:
        raise ValueError(f"{number!r} is not a partition")
    return number


def _unsigned(number: Any) -> int | None:
    """None where Burrow has no number, and for a negative number that wrapped around."""
    if number is not None and type(number) is not int:
        raise TypeError(f"{number!r} is not an integer")
    if number is not None and not -_WRAPPED <= number < 2 * _WRAPPED:
        raise ValueError("an integer of more than 64 bits")
    return number if number is not None and 0 <= number < _WRAPPED else None


def _commit_time(end: _Row | None) -> datetime | None:
    milliseconds = end and (end.get("observedAt") or end.get("timestamp"))
    if not milliseconds:
        return None
    if type(milliseconds) is not int or not EARLIEST_TIME <= milliseconds <= LATEST_TIME:
        raise ValueError(f"{milliseconds!r} is not a time")
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _batches(rows: list[_Row]) -> Iterator[pa.RecordBatch]:
    names = {key for row in rows for key in row}
    columns = {name: [row.get(name) for row in rows] for name in names - {"details"}}
    keys = list(dict.fromkeys(key for row in rows for key in row["details"]))
    details = details_column({key: [row["details"].get(key) for row in rows] for key in keys}, len(rows))
    yield from reading_batches(len(rows), columns | {"reporter": "burrow", "details": details})


def _text(value: Any) -> str | None:
    if isinstance(value, dict | list):
        raise TypeError("a detail is a text or a number")
    return None if value is None else str(value)
