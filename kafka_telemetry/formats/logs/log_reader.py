"""A file of log lines, from its bytes to the columns of LOG_LINE."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.clock_times import LineBefore, Midnights
from kafka_telemetry.formats.logs.container_prefix import unwrapped
from kafka_telemetry.formats.logs.json_log_lines import unfolded
from kafka_telemetry.formats.logs.librdkafka_prefix import handed_on
from kafka_telemetry.formats.logs.line_groups import Owners
from kafka_telemetry.formats.logs.log_entries import BLOCK, blocks, layout_of
from kafka_telemetry.formats.logs.log_events import said
from kafka_telemetry.formats.logs.log_layouts import Layout, framed
from kafka_telemetry.formats.logs.log_line import LOG_LINE
from kafka_telemetry.formats.logs.timestamps import INSTANT, clock_times, instants
from kafka_telemetry.formats.receipt import Reading, Receipt

_FIRST_LOOK = 1 << 18
# Candidates are gathered until so many bytes are worth the many small patterns.
_WORTHWHILE = 4 << 20
# What only the reading itself needs: the clock of a line without a date, and the midnights passed before it; the clock
# of the line before, where a line has none.
_CLOCK, _PASSED, _AFTER = "clock", "passed", "after"

_NO_PATTERNS: Mapping[str, str] = MappingProxyType({})


def read_log_file(
    file: BinaryIO,
    name: str,  # noqa: ARG001  what a file is, its content says
    *,
    timezone: str,
    delivery_day: date,
    patterns: Mapping[str, str] = _NO_PATTERNS,
    block: int = BLOCK,
) -> Reading:
    """`timezone` is that of times without a zone; `patterns` are a site's own layouts by name, with the groups of
    `site_pattern`.
    """
    file = unwrapped(file)
    first = file.read(_FIRST_LOOK).removeprefix(b"\xef\xbb\xbf")
    layout = layout_of(first, patterns)
    midnights = Midnights(delivery_day, timezone)
    owners, before = Owners(), LineBefore()
    counts = dict.fromkeys(("records", "understood", "not_understood", "ignored"), 0)
    dateless: list[pa.Table] = []

    def read(gathered: list[_Part]) -> Iterator[pa.RecordBatch]:
        lines = owners.told(_lines(gathered, layout, timezone, counts, before))
        if layout.name == "logback":
            dateless.append(lines)
        else:
            yield from _batches(lines)

    gathered: list[_Part] = []
    waiting_bytes = 0
    torn = None
    try:
        for part in blocks(file, first, layout, block):
            counts["records"] += part.entries
            counts["ignored"] += part.entries - len(part.wanted)
            passed = midnights.passed(part.clocks)[part.wanted_at] if layout.name == "logback" else part.clocks
            gathered.append(_Part(part.wanted, part.lines, passed))
            waiting_bytes += part.wanted.nbytes
            if waiting_bytes >= _WORTHWHILE:
                yield from read(gathered)
                gathered, waiting_bytes = [], 0
    except Exception as error:  # the unpacker's, mostly: what came before is told all the same
        torn = error
    if gathered:
        yield from read(gathered)
    waiting = owners.waiting()
    for lines in (*dateless, *([waiting] if waiting is not None else [])):
        yield from _batches(_dated(lines, midnights) if layout.name == "logback" else lines)
    if torn:
        raise torn
    return Receipt(
        f"log: {layout.name}", counts["records"], counts["understood"], counts["not_understood"], counts["ignored"]
    )


class _Part(NamedTuple):
    wanted: pa.StringArray
    lines: Integers
    passed: Integers


def _lines(
    gathered: Sequence[_Part], layout: Layout, timezone: str, counts: dict[str, int], before: LineBefore
) -> pa.Table:
    entries = pa.concat_arrays([part.wanted for part in gathered])
    frames = framed(entries, layout)
    if layout.name == "json lines":
        frames = unfolded(entries)
    frames, of_librdkafka = handed_on(frames)
    of_librdkafka |= pc.match_substring_regex(entries, r"^%[0-7]\|").to_numpy(zero_copy_only=False)
    found = said(frames, layout.name, of_librdkafka)
    for name in ("understood", "not_understood", "ignored"):
        counts[name] += getattr(found, name)
    kept = pa.array(found.rows)
    happened_at = instants(frames["time"], timezone)
    clocks = clock_times(frames["time"]) if layout.name == "logback" else None
    after = before.told(happened_at if clocks is None else clocks).take(kept)
    columns = {
        **found.columns,
        "source_position": pa.array(np.concatenate([part.lines for part in gathered])).take(kept),
        "happened_at": happened_at.take(kept),
        "written_after": after if clocks is None else pa.nulls(len(kept), INSTANT),
        **{name: frames[name].take(kept) for name in ("level", "thread", "logger")},
    }
    columns = {field.name: columns[field.name].cast(field.type) for field in LOG_LINE}
    if clocks is not None:
        columns[_CLOCK], columns[_AFTER] = clocks.take(kept), after
        columns[_PASSED] = pa.array(np.concatenate([part.passed for part in gathered])).take(kept)
    return pa.table(columns)


def _dated(lines: pa.Table, midnights: Midnights) -> pa.Table:
    passed = lines[_PASSED].combine_chunks().to_numpy()
    for name, clock in (("happened_at", _CLOCK), ("written_after", _AFTER)):
        by_clock = midnights.instants(lines[clock].combine_chunks(), passed)
        at = pc.coalesce(lines[name].combine_chunks(), by_clock)
        lines = lines.set_column(LOG_LINE.get_field_index(name), name, at)
    return lines


def _batches(lines: pa.Table) -> Iterator[pa.RecordBatch]:
    if len(lines):
        yield from lines.select(LOG_LINE.names).cast(LOG_LINE).combine_chunks().to_batches()
