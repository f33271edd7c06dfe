"""What a log line written as one JSON object says, in the spellings of the usual encoders."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from kafka_telemetry.formats.logs.log_layouts import PARTS

# logstash, log4j2's JsonLayout and templates, Elastic's common schema, Python's and Go's usual encoders.
_SPELLINGS = {
    "time": ("@timestamp", "timestamp", "time", "ts", "datetime", "date", "asctime", "timeMillis", "instant"),
    "level": ("level", "log.level", "severity", "levelname", "loglevel"),
    "thread": ("thread_name", "thread", "threadName", "process.thread.name"),
    "logger": ("logger_name", "logger", "loggerName", "log.logger", "logger.name", "name"),
    "message": ("message", "msg", "@message", "text"),
    "trace": ("stack_trace", "error.stack_trace", "exception", "thrown", "exc_info"),
}
# Read as strings by the column; whatever is spelled or typed otherwise is read one by one.
_FLAT = ("@timestamp", "level", "thread_name", "logger_name", "message", "stack_trace")
_ALWAYS = ("@timestamp", "level", "logger_name", "message")
_SCHEMA = pa.schema([pa.field(name, pa.string()) for name in _FLAT])


def unfolded(entries: pa.StringArray) -> dict[str, pa.Array]:
    """Time, level, thread, logger and message, stack traces behind the message. An entry that is no JSON object is
    all message."""
    parts = _by_column(entries) or _one_by_one(entries)
    trace = pc.if_else(pc.equal(pc.fill_null(parts["trace"], ""), ""), None, parts["trace"])
    parts["message"] = pc.coalesce(
        pc.binary_join_element_wise(pc.utf8_rtrim_whitespace(parts["message"]), trace, "\n"), parts["message"]
    )
    return {part: parts.get(part, pa.nulls(len(entries), pa.string())) for part in PARTS}


def _by_column(entries: pa.StringArray) -> dict[str, pa.Array] | None:
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
    columns = [table[name].combine_chunks() for name in _FLAT]
    if table.num_rows != len(entries) or any(table[name].null_count for name in _ALWAYS):
        return None
    return dict(zip(("time", "level", "thread", "logger", "message", "trace"), columns, strict=True))


def _one_by_one(entries: pa.StringArray) -> dict[str, pa.Array]:
    rows = [_parts(entry) for entry in entries.to_pylist()]
    return {part: pa.array([row.get(part) for row in rows], pa.string()) for part in _SPELLINGS}


def _parts(entry: str) -> dict[str, str]:
    try:
        said = json.loads(entry)
    except ValueError:
        return {"message": entry}
    if not isinstance(said, dict):
        return {"message": entry}
    out = {}
    for part, spellings in _SPELLINGS.items():
        for spelling in spellings:
            value = _looked_up(said, spelling)
            if isinstance(value, dict):
                value = _instant(value) if part == "time" else value.get("name") or value.get("extendedStackTrace")
            if value is not None and not isinstance(value, dict | list):
                out[part] = str(value)
                break
    return out if "message" in out else {"message": entry}


def _looked_up(said: dict[str, Any], spelling: str) -> Any:
    if spelling in said:
        return said[spelling]
    value: Any = said
    for key in spelling.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _instant(value: dict[str, Any]) -> str | None:
    if "epochSecond" not in value:
        return None
    return f"{value['epochSecond']}.{value.get('nanoOfSecond', 0):09d}"
