"""Lines of kafka-dump-log that describe files and batches, and the fields that apply to the records below them."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import NULL, Integers
from kafka_telemetry.formats.dumps.line_patterns import (
    Choice,
    Constant,
    LinePattern,
    NumberField,
    OptionalPart,
    SkipTo,
    exclude,
    match_lines,
)
from kafka_telemetry.formats.dumps.text_blocks import TextSpans
from kafka_telemetry.formats.integer_ranges import LARGEST_INT32, parse_integer

_BATCH = LinePattern(
    *("baseOffset: ", NumberField("base_offset"), " lastOffset: ", NumberField("last_offset")),
    *(" count: ", Choice(("null",), (NumberField("count"),))),
    *(" baseSequence: ", SkipTo(" "), " lastSequence: ", SkipTo(" ")),
    *(" producerId: ", NumberField("producer_id"), " producerEpoch: ", SkipTo(" ")),
    *(" partitionLeaderEpoch: ", NumberField("batch_leader_epoch")),
    *(" isTransactional: ", Choice(("true", Constant("transactional", 1)), ("false", Constant("transactional", 0)))),
    *(" isControl: ", SkipTo(" ")),
    *(OptionalPart((" deleteHorizonMs: ", SkipTo(" "))), " position: ", SkipTo(" "), " "),
    *(Choice(("LogAppendTime", Constant("append_time", 1)), (SkipTo(":"),)), ": ", NumberField("time")),
    *(" size: ", SkipTo(" "), " magic: ", SkipTo(" "), " compresscodec: ", SkipTo(" "), " crc: ", SkipTo(" ")),
    *(" isvalid: ", Choice(("true", Constant("valid", 1)), ("false", Constant("valid", 0)))),
)
# Batches that older tools print, and batches of magic 0 and 1.
_OTHER_BATCH = re.compile(
    r"(?:baseOffset: (\d{1,18}) lastOffset|offset): (\d{1,18}) (?=.*\bposition: \d+ )(?=.*\bisvalid: (\w+)$)"
)
_DUMPING = re.compile(r"Dumping (.*)$")
_OFFSETS_FOLDER = re.compile(r"(?:^|[/\\])__consumer_offsets-(\d{1,9})[/\\][^/\\]*$")

_FIELDS = (
    *("base_offset", "last_offset", "count", "producer_id", "batch_leader_epoch", "transactional", "append_time"),
    *("time", "valid", "offsets_partition"),
)

_BITS = {"count": 32, "producer_id": 64, "batch_leader_epoch": 32}


class PrintedBatches:
    """The batch that each line of a block belongs to. The last batch of a block continues in the next block."""

    def __init__(self) -> None:
        # A row per field and a column per batch; NULL where the field isn't printed.
        self._values = np.full((len(_FIELDS), 1), NULL, np.int64)
        # The line of each batch; -1 is the batch that the previous block left open.
        self._lines = np.array([-1], np.int64)
        self._open_batch = self._values
        self.count = self.records = self.invalid = 0

    def read(self, lines: TextSpans, batch_lines: Integers, dumping_lines: Integers) -> Integers:
        """Reads the lines of batches and files in a block, and returns those that aren't understood."""
        matched = match_lines(_BATCH, lines.select(batch_lines))
        fits = pc.fill_null(pc.less_equal(matched.number("batch_leader_epoch"), LARGEST_INT32), True)
        matched = matched.select(fits.to_numpy(zero_copy_only=False))
        rows, not_understood = batch_lines[matched.lines], []
        values = np.full((len(_FIELDS), len(rows)), NULL, np.int64)
        for field, name in enumerate(_FIELDS):
            if name in matched.numbers:
                values[field] = matched.numbers[name].fill_null(NULL).to_numpy()
        others, other_rows = [], []
        for row in exclude(batch_lines, rows).tolist():
            fields = _read_other_batch(lines.text_at(row))
            if fields is None:
                not_understood.append(row)
            else:
                others.append([fields.get(name, NULL) for name in _FIELDS])
                other_rows.append(row)
        self.count += len(rows) + len(other_rows)
        for row in dumping_lines.tolist():
            file = _DUMPING.match(lines.text_at(row))
            folder = _OFFSETS_FOLDER.search(file[1]) if file else None
            no_batch = dict.fromkeys(_FIELDS, NULL)
            others.append([*{**no_batch, "offsets_partition": int(folder[1]) if folder else NULL}.values()])
            other_rows.append(row)
        at = np.concatenate([[-1], rows, np.array(other_rows, np.int64)]).astype(np.int64)
        values = np.hstack([self._open_batch, values, np.array(others, np.int64).reshape(-1, len(_FIELDS)).T])
        order = np.argsort(at, kind="stable")
        self._lines, self._values = at[order], values[:, order]
        self._spread_partitions(dumping_lines)
        # The batch that continues from the previous block has been counted there.
        self.records += int(np.maximum(self._field("count")[1:], 0).sum())
        self.invalid += int((self._field("valid")[1:] == 0).sum())
        self._open_batch = self._values[:, -1:].copy()
        return np.array(not_understood, np.int64)

    def column(self, name: str, lines: Integers, kind: pa.DataType) -> pa.Array:
        """Returns a field of each line's batch. It is null if it isn't printed or is -1, which means none."""
        numbers = self.numbers(name, lines)
        return pa.array(np.maximum(numbers, -1), mask=numbers < 0).cast(kind)

    def numbers(self, name: str, lines: Integers) -> Integers:
        numbers: Integers = self._field(name)[self.index(lines)]
        return numbers

    def index(self, lines: Integers) -> Integers:
        """Numbers the batches of this block; 0 is the one that the previous block left open."""
        return np.searchsorted(self._lines, lines, "right") - 1

    def _field(self, name: str) -> Integers:
        numbers: Integers = self._values[_FIELDS.index(name)]
        return numbers

    def _spread_partitions(self, dumping_lines: Integers) -> None:
        """Gives each batch the offsets partition of the file above it."""
        partitions = self._field("offsets_partition")
        begins = np.isin(self._lines, dumping_lines)
        begins[0] = True
        source = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
        partitions[:] = partitions[source]


def _read_other_batch(text: str) -> dict[str, int] | None:
    match = _OTHER_BATCH.match(text)
    if not match:
        return None
    printed = dict(re.findall(r"(\w+): (\S+)", text))
    fields = {"last_offset": int(match[2]), "valid": int(match[3] == "true")}
    if match[1]:
        fields["base_offset"] = int(match[1])
    columns = {"count": "count", "producerId": "producer_id", "partitionLeaderEpoch": "batch_leader_epoch"}
    for name, column in columns.items():
        if re.fullmatch(r"-?[0-9]+", printed.get(name, "")):
            number = parse_integer(printed[name], _BITS[column])
            if number is None:
                return None
            fields[column] = number
    if "isTransactional" in printed:
        fields["transactional"] = int(printed["isTransactional"] == "true")
    return fields
