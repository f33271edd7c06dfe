"""Key and payload as kafka-dump-log prints them up to 3.7: free text, nothing escaped.

A commit has no time, leader epoch and version there; a group has of its members just ids and assignments.
"""

import base64
import json
import re

from kafka_telemetry.formats.dumps.text_rows import TORN, Row, unknown
from kafka_telemetry.formats.problems import KEY_TYPE, TEXTS
from kafka_telemetry.formats.segments.record_schema import Json

_COMMIT = "offset_commit::group="
_GROUP = "group_metadata::group="
BEGINNINGS = (_COMMIT, _GROUP, "unknown::version=", "Unknown record type ", "Error at offset ")
_KEY_END = re.compile(r",partition=([A-Za-z0-9._-]+)-(\d{1,10}) payload: (?=offset=-?\d+(?:,metadata=|$)|<DELETE>$)")
_COMMIT_PAYLOAD = re.compile(r"<DELETE>|offset=(-?\d{1,18})(?:,metadata=(.*))?", re.DOTALL)
_UNKNOWN_TYPE = re.compile(r"(?:unknown::version=(\d{1,5})|Unknown record type (\d{1,5}) at offset \d+, skipping\.)")
# Type, lengths of group and topic, partition.
KEY_FIELDS = 10
# What a value holds beside the metadata, in versions 0 and 2, 3, and 1.
VALUE_FIELDS = (20, 24, 28)
_LARGEST_INT = (1 << 31) - 1
_GROUP_TYPE = 2
_ERROR = "kafka-dump-log could not decode it"


def read_text(text: str, key_size: int | None, value_size: int | None) -> Row | None:
    """Null where it isn't whole: lines that follow may belong to it."""
    if text.startswith(_COMMIT):
        return _commit(text, key_size, value_size)
    if text.startswith(_GROUP):
        return _group(text.removeprefix(_GROUP))
    if found := _UNKNOWN_TYPE.match(text):
        return {"kind": "unknown", "key_type": min(int(found[1] or found[2]), 32767), "problem": TEXTS[KEY_TYPE]}
    return unknown(text, _ERROR)


def sizes_fit(metadata_size: int, value_size: int) -> bool:
    return value_size - metadata_size in VALUE_FIELDS


def _commit(text: str, key_size: int | None, value_size: int | None) -> Row | None:
    for end in _KEY_END.finditer(text):
        group, topic = text[len(_COMMIT) : end.start()], end[1]
        if key_size is not None and len(group.encode()) + len(topic.encode()) + KEY_FIELDS != key_size:
            continue
        payload = _COMMIT_PAYLOAD.fullmatch(text, end.end())
        if payload is None or int(end[2]) > _LARGEST_INT:
            continue
        names = {"kind": "commit", "group_id": group, "topic": topic, "partition_id": int(end[2])}
        if payload[1] is None:
            return {**names, "tombstone": True}
        metadata = payload[2] or ""
        if value_size is None or sizes_fit(len(metadata.encode()), value_size):
            return {**names, "tombstone": False, "committed_offset": int(payload[1]), "metadata": metadata}
    return None


def _group(text: str) -> Row | None:
    """In a document's quotes no line can end, so it's never cut where a group has no line feed in its name."""
    group, found, payload = text.rpartition(" payload: {") if text.endswith("}") else text.rpartition(" payload: ")
    if not found:
        return None
    row: Row = {"kind": "group", "key_type": _GROUP_TYPE, "group_id": group}
    if payload == "<DELETE>":
        return {**row, "tombstone": True}
    try:
        told = json.loads("{" + payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told.get("assignment"), str):
        return unknown(text, TORN)
    fields: dict[str, Json] = {"protocolType": told.get("protocolType"), "generation": told.get("generationId")}
    fields["protocol"] = told.get("protocol")
    members = _members(told["assignment"], told.get("protocolType"))
    if members is not None:
        fields["members"] = members
    value = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    # Half of a pair that an escape wrote is no text.
    return {**row, "tombstone": False, "value_json": value.encode(errors="replace").decode()}


_MEMBER = re.compile(
    r"(?P<id>.*?)=\[(?P<partitions>[A-Za-z0-9._, -]*)\](?::(?P<data>(?:[0-9A-Fa-f]{2})*))?(?:,|$)", re.DOTALL
)


def _members(text: str, protocol_type: Json) -> list[Json] | None:
    """`{member=[topic-0, topic-1],member=[]:user data in hex}`; null where it reads in no or another way."""
    inside = text[1:-1]
    if protocol_type != "consumer":
        return [] if not inside else None
    members: list[Json] = []
    at = 0
    while at < len(inside):
        found = _MEMBER.match(inside, at)
        if not found:
            return None
        owned: dict[str, list[int]] = {}
        for partition in found["partitions"].split(", ") if found["partitions"] else ():
            topic, _, number = partition.rpartition("-")
            if not number.isdecimal():
                return None
            owned.setdefault(topic, []).append(int(number))
        assigned = [{"topic": topic, "partitions": numbers} for topic, numbers in owned.items()]
        assignment: dict[str, Json] = {"assignedPartitions": assigned}
        if found["data"]:
            assignment["userData"] = base64.b64encode(bytes.fromhex(found["data"])).decode()
        members.append({"memberId": found["id"], "assignment": assignment})
        at = found.end()
    return members
