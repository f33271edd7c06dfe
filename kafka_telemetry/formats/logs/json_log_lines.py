"""Parses log lines that are JSON objects, with the field names of the usual encoders."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from kafka_telemetry.formats.json_documents import decode_json, storable_json
from kafka_telemetry.formats.logs.line_prefix import PARTS

# logstash, log4j2's JsonLayout and templates, Elastic's common schema, Python's and Go's usual encoders.
_FIELD_NAMES = {
    "time": ("@timestamp", "timestamp", "time", "ts", "datetime", "date", "asctime", "timeMillis", "instant"),
    "level": ("level", "log.level", "severity", "levelname", "loglevel"),
    "thread": ("thread_name", "thread", "threadName", "process.thread.name"),
    "logger": ("logger_name", "logger", "loggerName", "log.logger", "logger.name", "name"),
    "message": ("message", "msg", "@message", "text"),
    "trace": ("stack_trace", "error.stack_trace", "exception", "thrown", "exc_info"),
}
# The names of logstash, whose fields are strings: such objects are parsed as columns, all others one by one.
_COLUMNS = ("@timestamp", "level", "thread_name", "logger_name", "message", "stack_trace")
_REQUIRED_COLUMNS = ("@timestamp", "level", "logger_name", "message")
_SCHEMA = pa.schema([pa.field(name, pa.string()) for name in _COLUMNS])


def parse_json_entries(entries: pa.StringArray) -> dict[str, pa.Array]:
    """Returns the parts of each entry as columns, with stack traces appended to the message.

    Of an entry that is no JSON object the whole text is the message.
    """
    parts = _parse_as_columns(entries) or _parse_one_by_one(entries)
    trace = pc.if_else(pc.equal(pc.fill_null(parts["trace"], ""), ""), None, parts["trace"])
    parts["message"] = pc.coalesce(
        pc.binary_join_element_wise(pc.utf8_rtrim_whitespace(parts["message"]), trace, "\n"), parts["message"]
    )
    return {part: parts.get(part, pa.nulls(len(entries), pa.string())) for part in PARTS}


def _parse_as_columns(entries: pa.StringArray) -> dict[str, pa.Array] | None:
    if not len(entries):
        return None
    text = "\n".join(pc.utf8_trim_whitespace(entries).to_pylist()).encode()
    try:
        table = pa.json.read_json(
            io.BytesIO(text),
            read_options=pa.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            parse_options=pa.json.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="ignore"),
        )
    except pa.ArrowInvalid:
        return None
    columns = [table[name].combine_chunks() for name in _COLUMNS]
    if table.num_rows != len(entries) or any(table[name].null_count for name in _REQUIRED_COLUMNS):
        return None
    return dict(zip(("time", "level", "thread", "logger", "message", "trace"), columns, strict=True))


def _parse_one_by_one(entries: pa.StringArray) -> dict[str, pa.Array]:
    rows = [_parse_entry(entry) for entry in entries.to_pylist()]
    return {part: pa.array([row.get(part) for row in rows], pa.string()) for part in _FIELD_NAMES}


def _parse_entry(entry: str) -> dict[str, str]:
    text = storable_json(entry.strip(" \t\r\n"))
    try:
        parsed, end = decode_json(text)
    except (ValueError, RecursionError):
        return {"message": entry}
    if not isinstance(parsed, dict) or end != len(text):
        return {"message": entry}
    out = {}
    for part, names in _FIELD_NAMES.items():
        for name in names:
            value = _look_up(parsed, name)
            if isinstance(value, dict):
                value = _epoch_time(value) if part == "time" else value.get("name") or value.get("extendedStackTrace")
            if value is not None and not isinstance(value, dict | list):
                out[part] = str(value)
                break
    return out if "message" in out else {"message": entry}


def _look_up(parsed: dict[str, Any], name: str) -> Any:
    """Dots in a name may also be levels of nested objects."""
    if name in parsed:
        return parsed[name]
    value: Any = parsed
    for key in name.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _epoch_time(instant: dict[str, Any]) -> str | None:
    """The instant of log4j2's JsonLayout in the format that `timestamps` parses."""
    seconds, nanoseconds = instant.get("epochSecond"), instant.get("nanoOfSecond", 0)
    if not isinstance(seconds, int) or not isinstance(nanoseconds, int):
        return None
    return f"{seconds}.{nanoseconds:09d}"
