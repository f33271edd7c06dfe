"""Reads a log file: from its bytes to record batches with the columns of LOG_LINE."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.clock_times import Midnights, PreviousTimes
from kafka_telemetry.formats.logs.container_prefix import strip_container_prefix
from kafka_telemetry.formats.logs.json_log_lines import parse_json_entries
from kafka_telemetry.formats.logs.librdkafka_prefix import split_librdkafka_messages
from kafka_telemetry.formats.logs.line_groups import GroupFinder
from kafka_telemetry.formats.logs.line_prefix import split_entries
from kafka_telemetry.formats.logs.log_entries import BLOCK_BYTES, layout_of_file, read_entries
from kafka_telemetry.formats.logs.log_events import extract_lines
from kafka_telemetry.formats.logs.log_layouts import LogLayout
from kafka_telemetry.formats.logs.log_line import LOG_LINE
from kafka_telemetry.formats.logs.timestamps import INSTANT, parse_clock_times, parse_instants
from kafka_telemetry.formats.receipt import Reading, Receipt

# Relevant entries are collected up to this size, so that trying many small patterns pays off.
BATCH_BYTES = 4 << 20
_SAMPLE_BYTES = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LIBRDKAFKA_LINE = r"^%[0-7]\|"
# Columns that only dating needs: the clock time of a line without a date, the midnights passed before it, and the clock
# time of the line before a line without any time.
_CLOCK, _MIDNIGHTS, _CLOCK_BEFORE = "clock", "midnights", "clock before"

_NO_PATTERNS: Mapping[str, str] = MappingProxyType({})


def read_log_file(
    file: BinaryIO,
    name: str,  # noqa: ARG001  the layout is detected from the content
    *,
    timezone: str,
    delivery_day: date,
    patterns: Mapping[str, str] = _NO_PATTERNS,
    block_bytes: int = BLOCK_BYTES,
    batch_bytes: int = BATCH_BYTES,
) -> Reading:
    """Reads times without a zone as times in `timezone`. `patterns` are custom layouts by name, see `custom_layout`."""
    file = strip_container_prefix(file)
    first_bytes = file.read(_SAMPLE_BYTES).removeprefix(_BYTE_ORDER_MARK)
    layout = layout_of_file(first_bytes, patterns)
    midnights = Midnights(delivery_day, timezone)
    group_finder, previous_times = GroupFinder(), PreviousTimes()
    counts = dict.fromkeys(("records", "understood", "not_understood", "ignored"), 0)
    dateless: list[pa.Table] = []

    def read_batch(entries: list[_Entries]) -> Iterator[pa.RecordBatch]:
        lines = group_finder.fill_groups(_read_lines(entries, layout, timezone, counts, previous_times))
        if _has_no_dates(layout):
            dateless.append(lines)
        else:
            yield from _batches(lines)

    collected: list[_Entries] = []
    collected_bytes = 0
    failure = None
    try:
        for block in read_entries(file, first_bytes, layout, block_bytes):
            counts["records"] += block.entry_count
            counts["ignored"] += block.entry_count - len(block.texts)
            passed = midnights.passed(block.clock_seconds)
            collected.append(
                _Entries(block.texts, block.line_numbers, passed[block.positions] if len(passed) else passed)
            )
            collected_bytes += block.texts.nbytes
            if collected_bytes >= batch_bytes:
                yield from read_batch(collected)
                collected, collected_bytes = [], 0
    except Exception as error:  # mostly of decompression: the lines before it are returned all the same
        failure = error
    if collected:
        yield from read_batch(collected)
    held_back = group_finder.held_back()
    for lines in (*dateless, *([held_back] if held_back is not None else [])):
        yield from _batches(_with_dates(lines, midnights) if _has_no_dates(layout) else lines)
    if failure:
        raise failure
    return Receipt(
        f"log: {layout.name}", counts["records"], counts["understood"], counts["not_understood"], counts["ignored"]
    )


class _Entries(NamedTuple):
    texts: pa.StringArray
    line_numbers: Integers
    midnights: Integers
    """The midnights passed before each entry, if its layout prints a time without a date; else empty."""


def _has_no_dates(layout: LogLayout) -> bool:
    return layout.name == "logback"


def _read_lines(
    collected: Sequence[_Entries],
    layout: LogLayout,
    timezone: str,
    counts: dict[str, int],
    previous_times: PreviousTimes,
) -> pa.Table:
    entries = pa.concat_arrays([part.texts for part in collected])
    parts = parse_json_entries(entries) if layout.name == "json lines" else split_entries(entries, layout)
    parts, of_librdkafka = split_librdkafka_messages(parts)
    of_librdkafka |= mask(pc.match_substring_regex(entries, _LIBRDKAFKA_LINE))
    extracted = extract_lines(parts, layout.name, of_librdkafka)
    for name in ("understood", "not_understood", "ignored"):
        counts[name] += getattr(extracted, name)
    rows = pa.array(extracted.rows)
    happened_at = parse_instants(parts["time"], timezone)
    clock_times = parse_clock_times(parts["time"]) if _has_no_dates(layout) else None
    time_before = previous_times.of_lines_without(happened_at if clock_times is None else clock_times).take(rows)
    columns = {
        **extracted.columns,
        "source_position": pa.array(np.concatenate([part.line_numbers for part in collected])).take(rows),
        "happened_at": happened_at.take(rows),
        "written_after": time_before if clock_times is None else pa.nulls(len(rows), INSTANT),
        **{name: parts[name].take(rows) for name in ("level", "thread", "logger")},
    }
    columns = {field.name: columns[field.name].cast(field.type) for field in LOG_LINE}
    if clock_times is not None:
        columns[_CLOCK], columns[_CLOCK_BEFORE] = clock_times.take(rows), time_before
        columns[_MIDNIGHTS] = pa.array(np.concatenate([part.midnights for part in collected])).take(rows)
    return pa.table(columns)


def _with_dates(lines: pa.Table, midnights: Midnights) -> pa.Table:
    passed = lines[_MIDNIGHTS].combine_chunks().to_numpy()
    for name, clock in (("happened_at", _CLOCK), ("written_after", _CLOCK_BEFORE)):
        dated = midnights.instants(lines[clock].combine_chunks(), passed)
        instants = pc.coalesce(lines[name].combine_chunks(), dated)
        lines = lines.set_column(LOG_LINE.get_field_index(name), name, instants)
    return lines


def _batches(lines: pa.Table) -> Iterator[pa.RecordBatch]:
    if len(lines):
        yield from lines.select(LOG_LINE.names).cast(LOG_LINE).combine_chunks().to_batches()
