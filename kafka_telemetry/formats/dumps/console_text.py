"""What the console consumer prints of `__consumer_offsets` up to 3.9 with the formatters of the Scala coordinator.

A line per record, nothing escaped. It tells no positions in the log and no times of records; of a group no assignments.
"""

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.dumps.commit_text import TOMBSTONE, plausible, records
from kafka_telemetry.formats.dumps.line_patterns import Either, Layout, Lines, Number, Text, fitting, without
from kafka_telemetry.formats.dumps.text_blocks import Block, line_blocks
from kafka_telemetry.formats.dumps.text_rows import TORN, Counted, Row, in_order, record_batch, unknown
from kafka_telemetry.formats.offset_record import EARLIEST_TIME, LATEST_TIME, OFFSET_RECORD
from kafka_telemetry.formats.problems import TEXTS, TIME
from kafka_telemetry.formats.receipt import Reading
from kafka_telemetry.formats.segments.record_schema import Json

_LAYOUT = Layout(
    *("[", Text("group_id", ","), ",", Text("topic", ","), ",", Number("partition_id"), "]::"),
    Either(
        ("NULL", TOMBSTONE),
        (
            *("OffsetAndMetadata(offset=", Number("committed_offset"), ", leaderEpoch=Optional"),
            *(Either((".empty",), ("[", Number("leader_epoch"), "]")), ", metadata=", Text("metadata", ",")),
            *(", commitTimestamp=", Number("committed_at"), ", expireTimestamp="),
            *(Either(("None",), ("Some(", Number("expires_at"), ")")), ")"),
        ),
    ),
)
RECORD_LINE = re.compile(
    r"\[.*,\d+\]::(?:NULL|OffsetAndMetadata\()|.*::(?:GroupMetadata\(groupId=|NULL\s*$)", re.DOTALL
)
# The names of topics are plain, so the key ends where it can only end.
_COMMIT = re.compile(
    r"\[(?P<group_id>.*),(?P<topic>[A-Za-z0-9._-]+),(?P<partition_id>\d{1,9})\]::(?:(?P<gone>NULL)|"
    r"OffsetAndMetadata\(offset=(?P<committed_offset>-?\d{1,18}),"
    r" leaderEpoch=Optional(?:\.empty|\[(?P<leader_epoch>-?\d{1,9})\]), metadata=(?P<metadata>.*),"
    r" commitTimestamp=(?P<committed_at>-?\d{1,18}), expireTimestamp=(?:None|Some\((?P<expires_at>-?\d{1,18})\))\))",
    re.DOTALL,
)
_GROUP = re.compile(
    r"(?P<group>.*)::GroupMetadata\(groupId=(?P=group), generation=(?P<generation>-?\d{1,10}),"
    r" protocolType=(?:None|Some\((?P<protocol_type>.*?)\)), currentState=\w+, members=(?:\w+)\((?P<members>.*)\)\)",
    re.DOTALL,
)
_GONE = re.compile(r"(?P<group>.*)::NULL", re.DOTALL)
# Up to 2.8 a member ends in `, )`, later in `)`.
_MEMBER = re.compile(
    r"(?P<id>.*?) -> MemberMetadata\(memberId=(?P=id), groupInstanceId=(?:None|Some\((?P<instance>.*?)\)),"
    r" clientId=(?P<client>.*?), clientHost=(?P<host>.*?), sessionTimeoutMs=(?P<session>\d{1,10}),"
    r" rebalanceTimeoutMs=(?P<rebalance>-?\d{1,10}), supportedProtocols=List\((?P<protocols>.*?)\)(?:, )?\)(?:, |$)",
    re.DOTALL,
)
# A metadata text may have line feeds in it.
_MOST_LINES = 100
_GROUP_TYPE = 2
_MICROSECONDS = 1000


def read_console_text(file: BinaryIO, name: str) -> Reading:
    del name
    counted = Counted()
    for block in line_blocks(file):
        for batch in _read(block, counted):
            counted.count(batch)
            yield batch
    return counted.receipt("console_text")


def _read(block: Block, counted: Counted) -> Iterator[pa.RecordBatch]:
    found = fitting(_LAYOUT, block.pieces)
    fine = plausible(found)
    found = found.some(fine)
    counted.records += len(found.rows)
    others = without(np.arange(len(block.pieces.starts)), found.rows)
    rows = _look_closer(block.pieces, others, counted, block.first)
    quick = records("commit", found, block.first + found.rows, {})
    yield from in_order([quick, record_batch(rows, OFFSET_RECORD)], OFFSET_RECORD)


def _look_closer(lines: Lines, wanted: np.ndarray, counted: Counted, first: int) -> list[Row]:
    rows: list[Row] = []
    left = set(wanted.tolist())
    for line in wanted.tolist():
        if line not in left:
            continue
        text = lines.text_of(line)
        if not RECORD_LINE.match(text):
            rows += [{**row, "source_position": first + line} for row in counted.stray_lines(text)]
            continue
        counted.records += 1
        row, follows = _record(text), line + 1
        while row is None and follows in left and follows - line < _MOST_LINES:
            next_line = lines.text_of(follows)
            if RECORD_LINE.match(next_line):
                break
            text += "\n" + next_line
            row = _record(text)
            follows += 1
        if row is None:
            row = unknown(lines.bytes_of(line), TORN)
        else:
            left.difference_update(range(line, follows))
        rows.append({**row, "source_position": first + line})
    return rows


def _record(text: str) -> Row | None:
    """Null where it isn't whole."""
    if found := _COMMIT.fullmatch(text):
        return _commit(text, found)
    if found := _GROUP.fullmatch(text):
        members = _members(found["members"])
        if members is None:
            return None
        fields: dict[str, Json] = {
            "protocolType": found["protocol_type"] or "",
            "generation": int(found["generation"]),
        }
        protocols = {member.pop("protocol") for member in members}
        if len(protocols) == 1:
            # What is read from a record supports just the protocol that the record names.
            fields["protocol"] = protocols.pop()
        fields["members"] = members
        value = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return {**_group(found["group"]), "tombstone": False, "value_json": value}
    if found := _GONE.fullmatch(text):
        return {**_group(found["group"]), "tombstone": True}
    return None


def _group(name: str) -> Row:
    return {"kind": "group", "key_type": _GROUP_TYPE, "group_id": name}


def _commit(text: str, found: "re.Match[str]") -> Row:
    names = {"group_id": found["group_id"], "topic": found["topic"], "partition_id": int(found["partition_id"])}
    if found["gone"]:
        return {"kind": "commit", "tombstone": True, **names}
    times = {name: None if found[name] is None else int(found[name]) for name in ("committed_at", "expires_at")}
    if any(time is not None and not EARLIEST_TIME <= time <= LATEST_TIME for time in times.values()):
        return unknown(text, str(TEXTS[TIME]))
    return {
        "kind": "commit",
        "tombstone": False,
        **names,
        "committed_offset": int(found["committed_offset"]),
        "leader_epoch": None if found["leader_epoch"] in (None, "-1") else int(found["leader_epoch"]),
        "metadata": found["metadata"],
        **{name: None if time is None or time == -1 else time * _MICROSECONDS for name, time in times.items()},
    }


def _members(text: str) -> list[dict[str, Json]] | None:
    members: list[dict[str, Json]] = []
    at = 0
    while at < len(text):
        found = _MEMBER.match(text, at)
        if not found:
            return None
        members.append(
            {
                "memberId": found["id"],
                # Kafka 2.5 reads a record without one as Some(null).
                "groupInstanceId": None if found["instance"] == "null" else found["instance"],
                "clientId": found["client"],
                "clientHost": found["host"],
                "rebalanceTimeout": int(found["rebalance"]),
                "sessionTimeout": int(found["session"]),
                "protocol": found["protocols"],
            }
        )
        at = found.end()
    return members
