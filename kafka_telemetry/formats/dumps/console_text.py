"""Reads what the console consumer prints of `__consumer_offsets` up to 3.9 with the formatters of the Scala coordinator.

They print a line per record and escape nothing. Lines contain no log positions and no record times, and no assignments of
groups. Commits in the usual form are matched by a pattern, all other lines are parsed one by one.
"""

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.dumps.commit_text import TOMBSTONE, fit_columns, matched_batch
from kafka_telemetry.formats.dumps.line_patterns import (
    Choice,
    LinePattern,
    NumberField,
    TextField,
    exclude,
    match_lines,
)
from kafka_telemetry.formats.dumps.text_blocks import TextBlock, TextSpans, line_blocks
from kafka_telemetry.formats.dumps.text_rows import (
    INCOMPLETE,
    DumpCounts,
    Row,
    in_file_order,
    rows_to_batch,
    unknown_row,
)
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.problems import TEXTS, TIME, VALUE
from kafka_telemetry.formats.receipt import Reading
from kafka_telemetry.formats.segments.record_schema import Json
from kafka_telemetry.formats.segments.value_validity import is_valid_value
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

_COMMIT_PATTERN = LinePattern(
    *("[", TextField("group_id", ","), ",", TextField("topic", ","), ",", NumberField("partition_id"), "]::"),
    Choice(
        ("NULL", TOMBSTONE),
        (
            *("OffsetAndMetadata(offset=", NumberField("committed_offset"), ", leaderEpoch=Optional"),
            *(Choice((".empty",), ("[", NumberField("leader_epoch"), "]")), ", metadata=", TextField("metadata", ",")),
            *(", commitTimestamp=", NumberField("committed_at"), ", expireTimestamp="),
            *(Choice(("None",), ("Some(", NumberField("expires_at"), ")")), ")"),
        ),
    ),
)
_RECORD_LINE = re.compile(
    r"\[.*,\d+\]::(?:NULL|OffsetAndMetadata\()|.*::(?:GroupMetadata\(groupId=|NULL\s*$)", re.DOTALL
)
# Topic names contain no brackets or commas, so the end of the key is unambiguous.
_COMMIT = re.compile(
    r"\[(?P<group_id>.*),(?P<topic>[A-Za-z0-9._-]+),(?P<partition_id>\d{1,9})\]::(?:(?P<tombstone>NULL)|"
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
_GROUP_TOMBSTONE = re.compile(r"(?P<group>.*)::NULL", re.DOTALL)
# A member ends with `, )` up to 2.8 and with `)` later.
_MEMBER = re.compile(
    r"(?P<id>.*?) -> MemberMetadata\(memberId=(?P=id), groupInstanceId=(?:None|Some\((?P<instance>.*?)\)),"
    # A name ends at once where the next one begins: else a member that is damaged could reach far into the others.
    r" clientId=(?P<client>(?:(?!, clientHost=).)*), clientHost=(?P<host>(?:(?!, session).)*),"
    r" sessionTimeoutMs=(?P<session>\d{1,10}), rebalanceTimeoutMs=(?P<rebalance>-?\d{1,10}),"
    r" supportedProtocols=List\((?P<protocols>.*?)\)(?:, )?\)(?:, |$)",
    re.DOTALL,
)
# Of a record: commit metadata may contain line feeds.
_MOST_LINES = 100
# A broker accepts 4 KiB of commit metadata; names are shorter. What is longer is not worth the time that it may take.
_LONGEST_COMMIT = 1 << 16
_GROUP_TYPE = 2
_MICROSECONDS = 1000


def read_console_text(file: BinaryIO, name: str) -> Reading:
    del name
    counts = DumpCounts()
    for block in line_blocks(file):
        for batch in _read_block(block, counts):
            counts.count(batch)
            yield batch
    return counts.receipt("console_text")


def _read_block(block: TextBlock, counts: DumpCounts) -> Iterator[pa.RecordBatch]:
    matched = match_lines(_COMMIT_PATTERN, block.spans)
    matched = matched.select(fit_columns(matched))
    counts.records += len(matched.lines)
    others = exclude(np.arange(len(block.spans.starts)), matched.lines)
    rows = _read_one_by_one(block.spans, others, counts, block.first_number)
    commits = matched_batch("commit", matched, block.first_number + matched.lines, {})
    yield from in_file_order([commits, rows_to_batch(rows, OFFSET_RECORD)], OFFSET_RECORD)


def _read_one_by_one(lines: TextSpans, others: Integers, counts: DumpCounts, first_number: int) -> list[Row]:
    rows: list[Row] = []
    unread = set(others.tolist())
    for line in others.tolist():
        if line not in unread:
            continue
        text = lines.text_at(line)
        position = first_number + line
        if not _RECORD_LINE.match(text):
            rows += [{**row, "source_position": position} for row in counts.read_other_lines(text)]
            continue
        counts.records += 1
        row, next_line = _read_record(text), line + 1
        while row is None and next_line in unread and next_line - line < _MOST_LINES:
            next_text = lines.text_at(next_line)
            if _RECORD_LINE.match(next_text):
                break
            text += "\n" + next_text
            row = _read_record(text)
            next_line += 1
        if row is None:
            row = unknown_row(lines.bytes_at(line), INCOMPLETE)
        else:
            unread.difference_update(range(line, next_line))
        rows.append({**row, "source_position": position})
    return rows


def _read_record(text: str) -> Row | None:
    """Returns null if the record isn't complete: the lines that follow may belong to it."""
    if len(text) <= _LONGEST_COMMIT and (match := _COMMIT.fullmatch(text)):
        return _read_commit(text, match)
    if text.endswith("))") and (match := _GROUP.fullmatch(text)):
        members = _read_members(match["members"])
        if members is None:
            return None
        fields: dict[str, Json] = {
            "protocolType": match["protocol_type"] or "",
            "generation": int(match["generation"]),
        }
        protocols = {member.pop("protocol") for member in members}
        if len(protocols) == 1:
            # A member that was loaded from a record supports just the protocol that the group uses.
            fields["protocol"] = protocols.pop()
        fields["members"] = members
        if not is_valid_value(_GROUP_TYPE, fields):
            return unknown_row(text, str(TEXTS[VALUE]))
        value = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return {**_group_columns(match["group"]), "tombstone": False, "value_json": value}
    if match := _GROUP_TOMBSTONE.fullmatch(text):
        return {**_group_columns(match["group"]), "tombstone": True}
    return None


def _group_columns(group_id: str) -> Row:
    return {"kind": "group", "key_type": _GROUP_TYPE, "group_id": group_id}


def _read_commit(text: str, match: "re.Match[str]") -> Row:
    names = {"group_id": match["group_id"], "topic": match["topic"], "partition_id": int(match["partition_id"])}
    if match["tombstone"]:
        return {"kind": "commit", "tombstone": True, **names}
    times = {name: None if match[name] is None else int(match[name]) for name in ("committed_at", "expires_at")}
    if any(time is not None and not EARLIEST_TIME <= time <= LATEST_TIME for time in times.values()):
        return unknown_row(text, str(TEXTS[TIME]))
    return {
        "kind": "commit",
        "tombstone": False,
        **names,
        "committed_offset": int(match["committed_offset"]),
        "leader_epoch": None if match["leader_epoch"] in (None, "-1") else int(match["leader_epoch"]),
        "metadata": match["metadata"],
        **{name: None if time is None or time == -1 else time * _MICROSECONDS for name, time in times.items()},
    }


def _read_members(text: str) -> list[dict[str, Json]] | None:
    members: list[dict[str, Json]] = []
    at = 0
    while at < len(text):
        match = _MEMBER.match(text, at)
        if not match:
            return None
        members.append(
            {
                "memberId": match["id"],
                # Kafka 2.5 reads a record without an instance id as Some(null).
                "groupInstanceId": None if match["instance"] == "null" else match["instance"],
                "clientId": match["client"],
                "clientHost": match["host"],
                "rebalanceTimeout": int(match["rebalance"]),
                "sessionTimeout": int(match["session"]),
                "protocol": match["protocols"],
            }
        )
        at = match.end()
    return members
