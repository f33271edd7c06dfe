"""Records that kafka-dump-log prints in one of the usual forms, read by the column: commits, markers, groups."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.dumps.commit_text import JSON_KEY, JSON_VALUE, TOMBSTONE, in_time, plausible, records
from kafka_telemetry.formats.dumps.dump_log_places import Places
from kafka_telemetry.formats.dumps.dump_log_text import KEY_FIELDS, VALUE_FIELDS
from kafka_telemetry.formats.dumps.line_patterns import (
    Either,
    Fitting,
    Flags,
    Is,
    Layout,
    Longs,
    Maybe,
    Number,
    Text,
    Until,
    fitting,
)
from kafka_telemetry.formats.dumps.text_blocks import Block
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES

DUMPED_RECORD = OFFSET_RECORD.append(pa.field("offsets_partition", pa.int32()))

_SIZES = (" keySize: ", Number("key_size"), " valueSize: ", Number("value_size"))
_TIME = (" ", Until(":"), ": ", Number("recorded_at"))
# --skip-record-metadata leaves all of it out.
_HEAD = Maybe(
    (
        *(" offset: ", Number("record_offset")),
        Either(
            (" isValid: ", Until(" "), " crc: ", Until(" "), *_SIZES, *_TIME, " baseOffset: ", Until("[")),
            (*_TIME, *_SIZES, " sequence: ", Until(" "), " headerKeys: "),
        ),
        "[]",
    )
)
_MARKER = (
    " endTxnMarker: ",
    Either(("COMMIT", Is("marker", 1)), ("ABORT", Is("marker", 0))),
    *(" coordinatorEpoch: ", Number("coordinator_epoch")),
)
_JSON_COMMIT = (
    *(' key: {"type":"', Number("key_type"), '",', *JSON_KEY, " payload: "),
    Either(("<DELETE>", TOMBSTONE), ('{"version":"', Number("value_version"), '",', *JSON_VALUE)),
)
_TEXT_COMMIT = (
    *(" key: offset_commit::group=", Text("group_id", ","), ",partition=", Text("named", " "), " payload: "),
    Either(
        ("<DELETE>", TOMBSTONE),
        ("offset=", Number("committed_offset"), Maybe((",metadata=", Text("metadata", "")))),
    ),
    Is("is_text", 1),
)
_RECORD = Layout("|", _HEAD, Either(_MARKER, (Either(_JSON_COMMIT, _TEXT_COMMIT),)))

# The key of a group, of a member in it, or of a pattern that is subscribed to.
_GROUP = Layout(
    *("|", _HEAD, ' key: {"type":"', Number("key_type"), '","data":{"group'),
    *(Either(('Id":"', Is("says_id", 1)), ('":"',)), Text("group_id"), '"'),
    *(Maybe((',"memberId":"', Text("member_id"), '"')),),
    *(Maybe((',"regularExpression":"', Text("regular_expression"), '"')), "}} payload: "),
    Either(("<DELETE>", TOMBSTONE), ('{"version":"', Number("value_version"), '","data":', Text("value_json", ""))),
)
_KEY_NAMES = {key_type: {field.name for field in fields} for key_type, fields in KEYS.items() if key_type > 1}
_NAMES = {
    key_type: ("groupId" in names, "memberId" in names, "regularExpression" in names)
    for key_type, names in _KEY_NAMES.items()
}
_VERSIONS = {
    (key_type, version) for key_type, layouts in VALUES.items() for layout in layouts for version in layout.versions
}
_NAMED = r"^(?P<topic>[A-Za-z0-9._-]+)-(?P<partition_id>[0-9]{1,9})$"


def read_columns(block: Block, records: Longs, places: Places) -> tuple[Longs, list[pa.RecordBatch]]:
    """Which of the records could be read so, and their columns."""
    found = fitting(_RECORD, block.pieces.some(records))
    found = Fitting(records[found.rows], found.numbers, found.texts)
    fine = plausible(found) & places.trusted(found.rows) & _whole(found, block)
    found = found.some(fine)
    is_marker = _flags(found.number("marker").is_valid())
    batches = [_commits(found.some(~is_marker), block, places), _markers(found.some(is_marker), block, places)]
    return found.rows, batches


def read_groups(block: Block, records_left: Longs, places: Places) -> tuple[Longs, pa.RecordBatch]:
    """The same of group records. Their values stand as they were printed."""
    found = fitting(_GROUP, block.pieces.some(records_left))
    found = Fitting(records_left[found.rows], found.numbers, found.texts)
    found = found.some(plausible_groups(found) & places.trusted(found.rows))
    more = places.columns(found.rows, found.number("record_offset"), found.number("recorded_at"))
    # The brace that ends the payload belongs to no value.
    more["value_json"] = pc.utf8_slice_codeunits(found.text("value_json"), 0, -1)
    partition = more.pop("offsets_partition")
    batch = records("group", found, block.first + found.rows, more)
    return found.rows, pa.RecordBatch.from_arrays([*batch.columns, partition], schema=DUMPED_RECORD)


def plausible_groups(found: Fitting) -> Flags:
    """Whether the names are those of the type's key, the version is known, and the value is whole."""
    types, versions = found.number("key_type").to_pylist(), found.number("value_version").to_pylist()
    names = zip(
        found.number("says_id").is_valid().to_pylist(),
        found.text("member_id").is_valid().to_pylist(),
        found.text("regular_expression").is_valid().to_pylist(),
        strict=True,
    )
    values = found.text("value_json").to_pylist()
    rows = zip(types, names, versions, values, strict=True)
    fits = [
        _NAMES.get(key_type) == named and (value is None or ((key_type, version) in _VERSIONS and _is_object(value)))
        for key_type, named, version, value in rows
    ]
    return np.array(fits, np.bool_) & in_time(found.number("recorded_at"))


def _is_object(value: str) -> bool:
    try:
        return value.endswith("}}") and isinstance(json.loads(value[:-1]), dict)
    except (ValueError, RecursionError):
        return False


def _whole(found: Fitting, block: Block) -> Flags:
    """Old texts must be as long as the sizes beside them say."""
    is_text = _flags(found.number("is_text").is_valid())
    if not is_text.any():
        return ~is_text
    metadata = pc.fill_null(pc.binary_length(found.text("metadata")), 0)
    rest = pc.subtract(found.number("value_size"), metadata)
    sized = pc.or_(pc.is_in(rest, pa.array(VALUE_FIELDS)), pc.is_null(found.number("value_size")))
    sized = pc.or_(sized, found.number("tombstone").is_valid())
    names = pc.add(pc.binary_length(found.text("group_id")), pc.binary_length(found.text("named")))
    named = pc.extract_regex(found.text("named"), _NAMED)
    after_topic = pc.add(pc.binary_length(pc.struct_field(named, "partition_id")), len("-"))
    key_size = pc.add(pc.subtract(names, after_topic), KEY_FIELDS)
    keyed = pc.fill_null(pc.equal(key_size, found.number("key_size")), True)
    whole = _flags(sized) & _flags(keyed) & _flags(named.is_valid())
    if not block.ended:
        # The last digits of an offset may be cut away.
        whole &= found.rows != len(block.pieces.starts) - 1
    return ~is_text | whole


def _commits(found: Fitting, block: Block, places: Places) -> pa.RecordBatch:
    more = places.columns(found.rows, found.number("record_offset"), found.number("recorded_at"))
    is_text = found.number("is_text").is_valid()
    if pc.any(is_text).as_py():
        named = pc.extract_regex(found.text("named"), _NAMED)
        number = pc.struct_field(named, "partition_id").cast(pa.int32())
        more["topic"] = pc.coalesce(pc.struct_field(named, "topic"), found.text("topic"))
        more["partition_id"] = pc.coalesce(number, found.number("partition_id").cast(pa.int32()))
        # A commit that prints no metadata has empty ones.
        empty = pc.and_(is_text, pc.is_null(found.number("tombstone")))
        more["metadata"] = pc.if_else(empty, pc.fill_null(found.text("metadata"), ""), found.text("metadata"))
    partition = more.pop("offsets_partition")
    batch = records("commit", found, block.first + found.rows, more)
    return pa.RecordBatch.from_arrays([*batch.columns, partition], schema=DUMPED_RECORD)


def _markers(found: Fitting, block: Block, places: Places) -> pa.RecordBatch:
    count = len(found.rows)
    told = {
        **places.columns(found.rows, found.number("record_offset"), found.number("recorded_at")),
        "kind": pa.repeat("marker", count),
        "source_position": pa.array(block.first + found.rows),
        "marker": pc.if_else(pc.equal(found.number("marker"), 1), "commit", "abort"),
    }
    columns = [told.get(field.name, pa.nulls(count, field.type)) for field in DUMPED_RECORD]
    return pa.RecordBatch.from_arrays(columns, schema=DUMPED_RECORD)


def _flags(values: pa.Array) -> Flags:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.bool_)
