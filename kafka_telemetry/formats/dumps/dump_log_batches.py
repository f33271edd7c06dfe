"""The lines of kafka-dump-log that tell of files and batches, and what a record takes from them."""

import re

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.dumps.line_patterns import (
    Either,
    Is,
    Layout,
    Lines,
    Longs,
    Maybe,
    Number,
    Until,
    fitting,
    without,
)

_BATCH = Layout(
    *("baseOffset: ", Number("base_offset"), " lastOffset: ", Number("last_offset")),
    *(" count: ", Either(("null",), (Number("count"),)), " baseSequence: ", Until(" "), " lastSequence: ", Until(" ")),
    *(" producerId: ", Number("producer_id"), " producerEpoch: ", Until(" ")),
    *(" partitionLeaderEpoch: ", Number("batch_leader_epoch")),
    *(" isTransactional: ", Either(("true", Is("transactional", 1)), ("false", Is("transactional", 0)))),
    *(" isControl: ", Until(" ")),
    *(Maybe((" deleteHorizonMs: ", Until(" "))), " position: ", Until(" "), " "),
    *(Either(("LogAppendTime", Is("append_time", 1)), (Until(":"),)), ": ", Number("time")),
    *(" size: ", Until(" "), " magic: ", Until(" "), " compresscodec: ", Until(" "), " crc: ", Until(" ")),
    *(" isvalid: ", Either(("true", Is("valid", 1)), ("false", Is("valid", 0)))),
)
# Of older tools, and of batches of magic 0 and 1.
_OTHER_BATCH = re.compile(
    r"(?:baseOffset: (\d{1,18}) lastOffset|offset): (\d{1,18}) (?=.*\bposition: \d+ )(?=.*\bisvalid: (\w+)$)"
)
_DUMPING = re.compile(r"Dumping (.*)$")
_OFFSETS_FOLDER = re.compile(r"(?:^|[/\\])__consumer_offsets-(\d{1,9})[/\\][^/\\]*$")

UNTOLD = np.iinfo(np.int64).min
FIELDS = (
    *("base_offset", "last_offset", "count", "producer_id", "batch_leader_epoch", "transactional", "append_time"),
    *("time", "valid", "offsets_partition"),
)


class Batches:
    """What batch each line of a block stands under; the last one goes on into the next block."""

    def __init__(self) -> None:
        self._last = np.full((len(FIELDS), 1), UNTOLD, np.int64)
        self._at = np.array([-1], np.int64)
        self._told = self._last
        self.found = self.records = self.invalid = 0

    def read(self, lines: Lines, batch_lines: Longs, dumping_lines: Longs) -> Longs:
        """The lines that are not understood after all."""
        found = fitting(_BATCH, lines.some(batch_lines))
        rows, left = batch_lines[found.rows], []
        told = np.full((len(FIELDS), len(rows)), UNTOLD, np.int64)
        for place, name in enumerate(FIELDS):
            if name in found.numbers:
                told[place] = found.numbers[name].fill_null(UNTOLD).to_numpy()
        others, other_rows = [], []
        for row in without(batch_lines, rows).tolist():
            fields = _other_batch(lines.text_of(row))
            if fields is None:
                left.append(row)
            else:
                others.append([fields.get(name, UNTOLD) for name in FIELDS])
                other_rows.append(row)
        self.found += len(rows) + len(other_rows)
        for row in dumping_lines.tolist():
            file = _DUMPING.match(lines.text_of(row))
            folder = _OFFSETS_FOLDER.search(file[1]) if file else None
            none = dict.fromkeys(FIELDS, UNTOLD)
            others.append([*{**none, "offsets_partition": int(folder[1]) if folder else UNTOLD}.values()])
            other_rows.append(row)
        at = np.concatenate([[-1], rows, np.array(other_rows, np.int64)]).astype(np.int64)
        values = np.hstack([self._last, told, np.array(others, np.int64).reshape(-1, len(FIELDS)).T])
        order = np.argsort(at, kind="stable")
        self._at, self._told = at[order], values[:, order]
        self._spread_partitions(dumping_lines)
        # The batch that goes on has been counted.
        self.records += int(np.maximum(self._of("count")[1:], 0).sum())
        self.invalid += int((self._of("valid")[1:] == 0).sum())
        self._last = self._told[:, -1:].copy()
        return np.array(left, np.int64)

    def number(self, name: str, lines: Longs, kind: pa.DataType) -> pa.Array:
        """Null where nothing tells it, or by -1 that there is none."""
        numbers = self.numbers(name, lines)
        return pa.array(np.maximum(numbers, -1), mask=numbers < 0).cast(kind, safe=False)

    def numbers(self, name: str, lines: Longs) -> Longs:
        numbers: Longs = self._of(name)[self.place(lines)]
        return numbers

    def place(self, lines: Longs) -> Longs:
        """Which batch of this block; 0 is the one that the block before left open."""
        return np.searchsorted(self._at, lines, "right") - 1

    def _of(self, name: str) -> Longs:
        numbers: Longs = self._told[FIELDS.index(name)]
        return numbers

    def _spread_partitions(self, dumping_lines: Longs) -> None:
        named = self._of("offsets_partition")
        begins = np.isin(self._at, dumping_lines)
        begins[0] = True
        source = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
        named[:] = named[source]


def _other_batch(text: str) -> dict[str, int] | None:
    found = _OTHER_BATCH.match(text)
    if not found:
        return None
    words = dict(re.findall(r"(\w+): (\S+)", text))
    fields = {"last_offset": int(found[2]), "valid": int(found[3] == "true")}
    if found[1]:
        fields["base_offset"] = int(found[1])
    named = {"count": "count", "producerId": "producer_id", "partitionLeaderEpoch": "batch_leader_epoch"}
    for name, column in named.items():
        if re.fullmatch(r"-?\d{1,18}", words.get(name, "")):
            fields[column] = int(words[name])
    if "isTransactional" in words:
        fields["transactional"] = int(words["isTransactional"] == "true")
    return fields
