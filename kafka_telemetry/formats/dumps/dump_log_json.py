"""Parses key and payload as kafka-dump-log prints them since 3.8: JSON, with types and versions as strings."""

import json

from kafka_telemetry.formats.dumps.printed_records import (
    PrintedRecord,
    key_columns,
    problem_of_key,
    problem_of_version,
)
from kafka_telemetry.formats.dumps.text_rows import INCOMPLETE, Row, unknown_row
from kafka_telemetry.formats.json_documents import storable_json
from kafka_telemetry.formats.problems import KEY, KEY_TYPE, TEXTS, VALUE
from kafka_telemetry.formats.segments.record_schema import Json
from kafka_telemetry.formats.segments.value_validity import is_valid_value

JSON_START = '{"type":'
_PAYLOAD = " payload: "
_TOMBSTONE = " payload: <DELETE>"
_LAST_COMMIT_TYPE = 1


def parse_json_record(text: str) -> Row | PrintedRecord:
    """Returns an offset commit as its fields, to be decoded, and any other record as a row with its value as printed."""
    try:
        key, end = json.JSONDecoder().raw_decode(text)
        rest = text[end:]
        payload = None if rest == _TOMBSTONE else json.loads(rest.removeprefix(_PAYLOAD))
    except (ValueError, RecursionError):
        return unknown_row(text, INCOMPLETE)
    key_type, names = _parse_number(key.get("type")), key.get("data")
    problem = str(TEXTS[KEY_TYPE]) if key_type is None else problem_of_key(key_type, names)
    if problem is not None or key_type is None:
        return {**unknown_row(text, problem or str(TEXTS[KEY])), "key_type": key_type}
    version = None
    value: Json = None
    if payload is not None:
        if isinstance(payload, dict):
            version, value = _parse_number(payload.get("version")), payload.get("data")
        else:
            version, value = 0, 0
        problem = problem_of_version(key_type, version) if isinstance(value, dict) else TEXTS[VALUE]
        if problem is not None:
            return {**unknown_row(text, problem), "key_type": key_type, "value_version": version}
    if key_type <= _LAST_COMMIT_TYPE:
        return PrintedRecord(key_type, names, version, value)
    row = {"kind": "group", "key_type": key_type, "value_version": version, **key_columns(key_type, names)}
    if payload is None:
        return {**row, "tombstone": True}
    start = f'{_PAYLOAD}{{"version":"{version}","data":'
    if not rest.startswith(start) or not is_valid_value(key_type, value) or storable_json(rest) != rest:
        return {**unknown_row(text, str(TEXTS[VALUE])), "key_type": key_type, "value_version": version}
    return {**row, "tombstone": False, "value_json": rest[len(start) : -1]}


def _parse_number(text: Json) -> int | None:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 5 else None
