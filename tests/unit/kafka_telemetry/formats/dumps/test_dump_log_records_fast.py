"""The twins dump_log_records and dump_log_records_fast: both give the same rows of the records that the fast one reads."""

import io
import json
import re

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from support.dump_reading import read_dump, recorded_console_dumps
from support.segment_reading import Row, read_file, recorded_dumps

from kafka_telemetry.formats.dumps import dump_log_records, dump_log_records_fast
from kafka_telemetry.formats.dumps.dump_log_batches import PrintedBatches
from kafka_telemetry.formats.dumps.dump_log_positions import LogPositions
from kafka_telemetry.formats.dumps.kafka_dump_log import find_records
from kafka_telemetry.formats.dumps.text_blocks import line_blocks

BATCH = (
    b"baseOffset: 0 lastOffset: 3 count: 4 baseSequence: -1 lastSequence: -1 producerId: 7 producerEpoch: -1 "
    b"partitionLeaderEpoch: 4 isTransactional: true isControl: false position: 0 CreateTime: 5 size: 124 magic: 2 "
    b"compresscodec: GZIP crc: 1 isvalid: true\n"
)
SIZES = b"| offset: %d CreateTime: 7 keySize: %d valueSize: %d sequence: 0 headerKeys: [] "
OLD_RECORDS = b"".join(
    (
        b"Dumping /d/__consumer_offsets-7/00000000000000000000.log\nStarting offset: 0\n" + BATCH,
        SIZES % (0, 24, 27)
        + b"key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459,metadata=abc\n",
        SIZES % (1, 24, 24) + b"key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459\n",
        SIZES % (2, 24, -1) + b"key: offset_commit::group=orders-x,partition=orders-1 payload: <DELETE>\n",
        SIZES % (3, 4, 6) + b"endTxnMarker: COMMIT coordinatorEpoch: 0\n" + BATCH,
        b"| key: offset_commit::group=orders-x,partition=orders-1 payload: offset=460\n",
    )
)


def _rows(batches: list[pa.RecordBatch]) -> dict[int, Row]:
    return {row["source_position"]: row for batch in batches for row in batch.to_pylist()}


def _read_by_both(dump: bytes) -> tuple[dict[int, Row], dict[int, Row]]:
    """Reads the records that the fast twin can read by both twins. Rows are keyed by their line."""
    fast_rows: dict[int, Row] = {}
    rows: dict[int, Row] = {}
    batches = PrintedBatches()
    positions = LogPositions(batches)
    for block in line_blocks(io.BytesIO(dump)):
        records, _ = find_records(block, batches)
        positions.start_block(records)
        lines, fast_batches = dump_log_records_fast.read_records(block, records, positions)
        fast_rows |= _rows(fast_batches)
        read_lines, slow_batches = dump_log_records.read_records(block, lines, positions, set())
        assert read_lines.tolist() == lines.tolist()
        rows |= _rows(slow_batches)
    return fast_rows, rows


def test_both_read_recorded_dumps_alike() -> None:
    kinds = set()
    read = 0
    for dump in recorded_dumps():
        fast_rows, rows = _read_by_both(read_file(dump))
        assert fast_rows == rows
        read += len(rows)
        kinds |= {row["kind"] for row in rows.values()}
    assert read > 5000
    assert kinds == {"commit", "group", "marker"}


def test_both_read_the_free_text_of_older_tools_alike() -> None:
    fast_rows, rows = _read_by_both(OLD_RECORDS)
    assert fast_rows == rows
    assert [row["kind"] for row in rows.values()] == ["commit", "commit", "commit", "marker", "commit"]


NAMES = st.text(
    st.sampled_from('ab-0,"\\\\{}:= ü🙂\t') | st.characters(exclude_categories=["Cs"]), max_size=12
) | st.sampled_from(
    [
        "a,partition=b-1 payload: offset=2,metadata=",
        '","topic":"',
        "}} payload: <DELETE>",
        "a,partition=t-0",
        '"}}',
        "\\u0061",
    ]
)


@given(NAMES, NAMES, st.sampled_from([None, 0, 7, -1]), st.booleans())
@settings(max_examples=120, deadline=None)
def test_both_read_commits_with_any_names_alike(
    group: str, metadata: str, offset: int | None, ascii_only: bool
) -> None:
    key = {"type": "1", "data": {"group": group, "topic": "t.x", "partition": 3}}
    fields = {"offset": offset, "leaderEpoch": -1, "metadata": metadata, "commitTimestamp": 5}
    payload: object = {"version": "3", "data": fields}
    as_json = [json.dumps(part, separators=(",", ":"), ensure_ascii=ascii_only) for part in (key, payload)]
    as_text = [
        f"offset_commit::group={group},partition=t.x-3",
        f"offset={offset}" + f",metadata={metadata}" * bool(metadata),
    ]
    sizes = (len(group.encode()) + 13, 20 + len(metadata.encode()))
    for printed_key, printed_payload in (as_json, as_text):
        line = f"key: {printed_key} payload: {printed_payload if offset is not None else '<DELETE>'}\n"
        fast_rows, rows = _read_by_both(OLD_RECORDS + SIZES % (9, *sizes) + line.encode())
        assert fast_rows == rows


def _with_an_escaped_letter(dump: bytes) -> str:
    """Escapes the first letter of each group id, which no pattern of the fast readers matches."""
    return re.sub(r'"(group|groupId)":"([a-z])', lambda match: f'"{match[1]}":"\\u{ord(match[2]):04x}', dump.decode())


def test_recorded_dumps_in_which_nothing_matches_a_pattern_give_the_same_rows() -> None:
    dumps = [*recorded_dumps()[::5], *recorded_console_dumps()[::2]]
    changed = 0
    for dump in dumps:
        data = read_file(dump)
        escaped = _with_an_escaped_letter(data)
        changed += escaped != data.decode()
        assert read_dump(escaped) == read_dump(data), dump
    assert changed > 8
