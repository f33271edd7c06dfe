"""Parses key and payload as kafka-dump-log prints them up to 3.7: free text in which nothing is escaped.

Commits have no time, leader epoch and version there, and members of a group have only their id and assignment.
"""

import base64
import json
import re

from kafka_telemetry.formats.dumps.text_rows import INCOMPLETE, Row, unknown_row
from kafka_telemetry.formats.integer_ranges import parse_integer
from kafka_telemetry.formats.json_documents import storable_json
from kafka_telemetry.formats.problems import KEY_TYPE, TEXTS, VALUE
from kafka_telemetry.formats.segments.record_schema import Json
from kafka_telemetry.formats.segments.value_validity import is_valid_value

_COMMIT = "offset_commit::group="
_GROUP = "group_metadata::group="
TEXT_STARTS = (_COMMIT, _GROUP, "unknown::version=", "Unknown record type ", "Error at offset ")
_KEY_END = re.compile(r",partition=([A-Za-z0-9._-]+)-(\d{1,10}) payload: (?=offset=-?\d+(?:,metadata=|$)|<DELETE>$)")
_COMMIT_PAYLOAD = re.compile(r"<DELETE>|offset=(-?\d{1,18})(?:,metadata=(.*))?", re.DOTALL)
_UNKNOWN_TYPE = re.compile(r"(?:unknown::version=(\d{1,5})|Unknown record type (\d{1,5}) at offset \d+, skipping\.)")
# Size of a key besides its names: type, lengths of group and topic, partition.
KEY_OVERHEAD = 10
# Size of a value besides its metadata, in versions 0 and 2, 3, and 1.
VALUE_OVERHEADS = (20, 24, 28)
_LARGEST_INT = (1 << 31) - 1
_GROUP_TYPE = 2
_ERROR = "kafka-dump-log could not decode it"


def parse_text_record(text: str, key_size: int | None, value_size: int | None) -> Row | None:
    """Returns null if the record isn't complete: the lines that follow may belong to it."""
    if text.startswith(_COMMIT):
        return _parse_commit(text, key_size, value_size)
    if text.startswith(_GROUP):
        return _parse_group(text.removeprefix(_GROUP))
    if match := _UNKNOWN_TYPE.match(text):
        return {"kind": "unknown", "key_type": min(int(match[1] or match[2]), 32767), "problem": TEXTS[KEY_TYPE]}
    return unknown_row(text, _ERROR)


def _parse_commit(text: str, key_size: int | None, value_size: int | None) -> Row | None:
    for end in _KEY_END.finditer(text):
        group, topic = text[len(_COMMIT) : end.start()], end[1]
        if key_size is not None and len(group.encode()) + len(topic.encode()) + KEY_OVERHEAD != key_size:
            continue
        payload = _COMMIT_PAYLOAD.fullmatch(text, end.end())
        if payload is None or int(end[2]) > _LARGEST_INT:
            continue
        names = {"kind": "commit", "group_id": group, "topic": topic, "partition_id": int(end[2])}
        if payload[1] is None:
            return {**names, "tombstone": True}
        metadata = payload[2] or ""
        if value_size is None or value_size - len(metadata.encode()) in VALUE_OVERHEADS:
            return {**names, "tombstone": False, "committed_offset": int(payload[1]), "metadata": metadata}
    return None


def _parse_group(text: str) -> Row | None:
    """A group id with a line feed may be incomplete. The JSON of a payload contains no line feeds."""
    separator = " payload: {" if text.endswith("}") else " payload: "
    group, found, payload = text.rpartition(separator)
    if not found:
        return None
    row: Row = {"kind": "group", "key_type": _GROUP_TYPE, "group_id": group}
    if payload == "<DELETE>":
        return {**row, "tombstone": True}
    try:
        printed = json.loads(storable_json("{" + payload))
    except (ValueError, RecursionError):
        return None
    if not isinstance(printed.get("assignment"), str):
        return unknown_row(text, INCOMPLETE)
    fields: dict[str, Json] = {"protocolType": printed.get("protocolType"), "generation": printed.get("generationId")}
    fields["protocol"] = printed.get("protocol")
    members = _parse_members(printed["assignment"], printed.get("protocolType"))
    if members is not None:
        fields["members"] = members
    if not is_valid_value(_GROUP_TYPE, fields):
        return unknown_row(text, str(TEXTS[VALUE]))
    value = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return {**row, "tombstone": False, "value_json": value}


_MEMBER = re.compile(
    r"(?P<id>.*?)=\[(?P<partitions>[A-Za-z0-9._, -]*)\](?::(?P<data>(?:[0-9A-Fa-f]{2})*))?(?:,|$)", re.DOTALL
)


def _parse_members(text: str, protocol_type: Json) -> list[Json] | None:
    """Parses `{member=[topic-0, topic-1],member=[]:user data in hex}`, or returns null for any other text."""
    inside = text[1:-1]
    if protocol_type != "consumer":
        return [] if not inside else None
    members: list[Json] = []
    at = 0
    while at < len(inside):
        match = _MEMBER.match(inside, at)
        if not match:
            return None
        owned: dict[str, list[int]] = {}
        for partition in match["partitions"].split(", ") if match["partitions"] else ():
            topic, _, number = partition.rpartition("-")
            parsed = parse_integer(number, 32)
            if parsed is None:
                return None
            owned.setdefault(topic, []).append(parsed)
        assigned = [{"topic": topic, "partitions": numbers} for topic, numbers in owned.items()]
        assignment: dict[str, Json] = {"assignedPartitions": assigned}
        if match["data"]:
            assignment["userData"] = base64.b64encode(bytes.fromhex(match["data"])).decode()
        members.append({"memberId": match["id"], "assignment": assignment})
        at = match.end()
    return members
