"""Key and payload as kafka-dump-log prints them since 3.8: JSON, with types and versions as texts."""

import json

from kafka_telemetry.formats.dumps.printed_records import Given, names_of, problem_of_key, problem_of_version
from kafka_telemetry.formats.dumps.text_rows import TORN, Row, unknown
from kafka_telemetry.formats.problems import KEY, KEY_TYPE, TEXTS, VALUE
from kafka_telemetry.formats.segments.record_schema import Json

BEGIN = '{"type":'
_DELETED = " payload: <DELETE>"
_PAYLOAD = " payload: "
_NEWEST_COMMIT = 1


def read_json(text: str) -> Row | Given:
    """An offset commit is given as its fields; the value of another record stands as it was printed."""
    try:
        key, end = json.JSONDecoder().raw_decode(text)
        rest = text[end:]
        payload = None if rest == _DELETED else json.loads(rest.removeprefix(_PAYLOAD))
    except (ValueError, RecursionError):
        return unknown(text, TORN)
    key_type, names = _number(key.get("type")), key.get("data")
    problem = str(TEXTS[KEY_TYPE]) if key_type is None else problem_of_key(key_type, names)
    if problem is not None or key_type is None:
        return {**unknown(text, problem or str(TEXTS[KEY])), "key_type": key_type}
    version = None
    value: Json = None
    if payload is not None:
        version, value = (_number(payload.get("version")), payload.get("data")) if isinstance(payload, dict) else (0, 0)
        problem = problem_of_version(key_type, version) if isinstance(value, dict) else TEXTS[VALUE]
        if problem is not None:
            return {**unknown(text, problem), "key_type": key_type, "value_version": version}
    if key_type <= _NEWEST_COMMIT:
        return Given(key_type, names, version, value)
    row = {"kind": "group", "key_type": key_type, "value_version": version, **names_of(key_type, names)}
    if payload is None:
        return {**row, "tombstone": True}
    head = f'{_PAYLOAD}{{"version":"{version}","data":'
    if not rest.startswith(head):
        return {**unknown(text, str(TEXTS[VALUE])), "key_type": key_type, "value_version": version}
    return {**row, "tombstone": False, "value_json": rest[len(head) : -1]}


def _number(text: Json) -> int | None:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 5 else None
