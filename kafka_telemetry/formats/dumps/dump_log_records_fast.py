"""Reads records that kafka-dump-log prints in one of the usual forms, in bulk: commits, markers and groups.

It matches patterns against all lines of a block at once. Its twin `dump_log_records` reads the records that match none, one
by one. Both give the same row for whatever the tool prints; of a line that was damaged later the twin notices more, such
as a topic id that is no base64.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.dumps.commit_text import (
    JSON_KEY,
    JSON_VALUE,
    TOMBSTONE,
    are_storable_times,
    fit_columns,
    matched_batch,
)
from kafka_telemetry.formats.dumps.dump_log_positions import DUMPED_RECORD, LogPositions
from kafka_telemetry.formats.dumps.dump_log_text import KEY_OVERHEAD, VALUE_OVERHEADS
from kafka_telemetry.formats.dumps.line_patterns import (
    Choice,
    Constant,
    LinePattern,
    MatchedLines,
    NumberField,
    OptionalPart,
    SkipTo,
    TextField,
    exclude,
    match_lines,
)
from kafka_telemetry.formats.dumps.text_blocks import TextBlock
from kafka_telemetry.formats.json_documents import storable_json
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES
from kafka_telemetry.formats.segments.value_validity import is_valid_value

_SIZES = (" keySize: ", NumberField("key_size"), " valueSize: ", NumberField("value_size"))
_TIME = (" ", SkipTo(":"), ": ", NumberField("recorded_at"))
# --skip-record-metadata omits it.
_RECORD_METADATA = OptionalPart(
    (
        *(" offset: ", NumberField("record_offset")),
        Choice(
            (" isValid: ", SkipTo(" "), " crc: ", SkipTo(" "), *_SIZES, *_TIME, " baseOffset: ", SkipTo("[")),
            (*_TIME, *_SIZES, " sequence: ", SkipTo(" "), " headerKeys: "),
        ),
        "[]",
    )
)
_MARKER = (
    " endTxnMarker: ",
    Choice(("COMMIT", Constant("marker", 1)), ("ABORT", Constant("marker", 0))),
    *(" coordinatorEpoch: ", NumberField("coordinator_epoch")),
)
_JSON_COMMIT = (
    *(' key: {"type":"', NumberField("key_type"), '",', *JSON_KEY, " payload: "),
    Choice(("<DELETE>", TOMBSTONE), ('{"version":"', NumberField("value_version"), '",', *JSON_VALUE)),
)
_TEXT_COMMIT = (
    *(" key: offset_commit::group=", TextField("group_id", ","), ",partition=", TextField("topic_partition", " ")),
    " payload: ",
    Choice(
        ("<DELETE>", TOMBSTONE),
        ("offset=", NumberField("committed_offset"), OptionalPart((",metadata=", TextField("metadata", "")))),
    ),
    Constant("is_text", 1),
)
_COMMIT_OR_MARKER = LinePattern("|", _RECORD_METADATA, Choice(_MARKER, (Choice(_JSON_COMMIT, _TEXT_COMMIT),)))

# Keys of groups, of members and of regular expressions.
_GROUP = LinePattern(
    *("|", _RECORD_METADATA, ' key: {"type":"', NumberField("key_type"), '","data":{"group'),
    *(Choice(('Id":"', Constant("is_group_id", 1)), ('":"',)), TextField("group_id"), '"'),
    *(OptionalPart((',"memberId":"', TextField("member_id"), '"')),),
    *(OptionalPart((',"regularExpression":"', TextField("regular_expression"), '"')), "}} payload: "),
    Choice(
        ("<DELETE>", TOMBSTONE),
        ('{"version":"', NumberField("value_version"), '","data":', TextField("value_json", "")),
    ),
)
_KEY_FIELDS = {key_type: {field.name for field in fields} for key_type, fields in KEYS.items() if key_type > 1}
# By type: whether its key has the fields groupId (and not group), memberId and regularExpression.
_EXPECTED_FIELDS = {
    key_type: ("groupId" in names, "memberId" in names, "regularExpression" in names)
    for key_type, names in _KEY_FIELDS.items()
}
_VERSIONS = {
    (key_type, version) for key_type, layouts in VALUES.items() for layout in layouts for version in layout.versions
}
_TOPIC_PARTITION = r"^(?P<topic>[A-Za-z0-9._-]+)-(?P<partition_id>[0-9]{1,9})$"


def read_records(block: TextBlock, records: Integers, positions: LogPositions) -> tuple[Integers, list[pa.RecordBatch]]:
    """Returns the lines of the records that could be read, and batches of DUMPED_RECORD."""
    matched = _match(_COMMIT_OR_MARKER, block, records)
    matched = matched.select(fit_columns(matched) & positions.are_valid(matched.lines) & _are_complete(matched, block))
    groups = _match(_GROUP, block, exclude(records, matched.lines))
    groups = groups.select(_are_valid_groups(groups) & positions.are_valid(groups.lines))
    is_marker = _flags(matched.number("marker").is_valid())
    batches = [
        _commits(matched.select(~is_marker), block, positions),
        _markers(matched.select(is_marker), block, positions),
        _groups(groups, block, positions),
    ]
    return np.union1d(matched.lines, groups.lines), batches


def _match(pattern: LinePattern, block: TextBlock, records: Integers) -> MatchedLines:
    matched = match_lines(pattern, block.spans.select(records))
    return matched._replace(lines=records[matched.lines])


def _are_valid_groups(matched: MatchedLines) -> Flags:
    """Marks the lines whose key has the fields of its type, whose version is known, and whose value is complete and valid."""
    types, versions = matched.number("key_type").to_pylist(), matched.number("value_version").to_pylist()
    fields = zip(
        matched.number("is_group_id").is_valid().to_pylist(),
        matched.text("member_id").is_valid().to_pylist(),
        matched.text("regular_expression").is_valid().to_pylist(),
        strict=True,
    )
    values = matched.text("value_json").to_pylist()
    are_valid = [
        _EXPECTED_FIELDS.get(key_type) == printed
        and (value is None or ((key_type, version) in _VERSIONS and _is_valid_json(key_type, value)))
        for key_type, printed, version, value in zip(types, fields, versions, values, strict=True)
    ]
    return np.array(are_valid, np.bool_) & are_storable_times(matched.number("recorded_at"))


def _is_valid_json(key_type: int, value: str) -> bool:
    """The last brace belongs to the payload around the value."""
    try:
        return (
            value.endswith("}}") and is_valid_value(key_type, json.loads(value[:-1])) and storable_json(value) == value
        )
    except (ValueError, RecursionError):
        return False


def _are_complete(matched: MatchedLines, block: TextBlock) -> Flags:
    """Marks JSON, and the free text of older tools that is as long as the sizes on its line say."""
    is_text = _flags(matched.number("is_text").is_valid())
    if not is_text.any():
        return ~is_text
    metadata_size = pc.fill_null(pc.binary_length(matched.text("metadata")), 0)
    overhead = pc.subtract(matched.number("value_size"), metadata_size)
    value_fits = pc.or_(pc.is_in(overhead, pa.array(VALUE_OVERHEADS)), pc.is_null(matched.number("value_size")))
    value_fits = pc.or_(value_fits, matched.number("tombstone").is_valid())
    names_size = pc.add(pc.binary_length(matched.text("group_id")), pc.binary_length(matched.text("topic_partition")))
    parsed = pc.extract_regex(matched.text("topic_partition"), _TOPIC_PARTITION)
    suffix_size = pc.add(pc.binary_length(pc.struct_field(parsed, "partition_id")), len("-"))
    key_size = pc.add(pc.subtract(names_size, suffix_size), KEY_OVERHEAD)
    key_fits = pc.fill_null(pc.equal(key_size, matched.number("key_size")), True)
    is_complete = _flags(value_fits) & _flags(key_fits) & _flags(parsed.is_valid())
    if not block.is_complete:
        # The last digits of an offset may have been cut off.
        is_complete &= matched.lines != len(block.spans.starts) - 1
    return ~is_text | is_complete


def _commits(matched: MatchedLines, block: TextBlock, positions: LogPositions) -> pa.RecordBatch:
    columns = _position_columns(matched, positions)
    is_text = matched.number("is_text").is_valid()
    if pc.any(is_text).as_py():
        parsed = pc.extract_regex(matched.text("topic_partition"), _TOPIC_PARTITION)
        partition = pc.struct_field(parsed, "partition_id").cast(pa.int32())
        columns["topic"] = pc.coalesce(pc.struct_field(parsed, "topic"), matched.text("topic"))
        columns["partition_id"] = pc.coalesce(partition, matched.number("partition_id").cast(pa.int32()))
        # Empty metadata isn't printed.
        has_metadata = pc.and_(is_text, pc.is_null(matched.number("tombstone")))
        metadata = matched.text("metadata")
        columns["metadata"] = pc.if_else(has_metadata, pc.fill_null(metadata, ""), metadata)
    return _dumped_batch("commit", matched, block, columns)


def _groups(matched: MatchedLines, block: TextBlock, positions: LogPositions) -> pa.RecordBatch:
    columns = _position_columns(matched, positions)
    # The last brace belongs to the payload around the value.
    columns["value_json"] = pc.utf8_slice_codeunits(matched.text("value_json"), 0, -1)
    return _dumped_batch("group", matched, block, columns)


def _markers(matched: MatchedLines, block: TextBlock, positions: LogPositions) -> pa.RecordBatch:
    count = len(matched.lines)
    values = {
        **_position_columns(matched, positions),
        "kind": pa.repeat("marker", count),
        "source_position": pa.array(block.first_number + matched.lines),
        "marker": pc.if_else(pc.equal(matched.number("marker"), 1), "commit", "abort"),
    }
    columns = [values.get(field.name, pa.nulls(count, field.type)) for field in DUMPED_RECORD]
    return pa.RecordBatch.from_arrays(columns, schema=DUMPED_RECORD)


def _position_columns(matched: MatchedLines, positions: LogPositions) -> dict[str, pa.Array]:
    return positions.columns(matched.lines, matched.number("record_offset"), matched.number("recorded_at"))


def _dumped_batch(kind: str, matched: MatchedLines, block: TextBlock, columns: dict[str, pa.Array]) -> pa.RecordBatch:
    offsets_partition = columns.pop("offsets_partition")
    batch = matched_batch(kind, matched, block.first_number + matched.lines, columns)
    return pa.RecordBatch.from_arrays([*batch.columns, offsets_partition], schema=DUMPED_RECORD)


def _flags(values: pa.Array) -> Flags:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.bool_)
