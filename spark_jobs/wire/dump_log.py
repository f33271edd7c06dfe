"""What kafka-dump-log prints with --offsets-decoder, in all its forms: a line per batch, and one per record under it."""

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.wire import dump_log_json, dump_log_text
from spark_jobs.wire.batch_problems import CRC, TEXTS, TIME
from spark_jobs.wire.commit_layout import JSON_KEY, JSON_VALUE, TOMBSTONE, commits, plausible, time_column
from spark_jobs.wire.dump_log_batches import UNTOLD, Batches
from spark_jobs.wire.given_records import Given, rows_of
from spark_jobs.wire.offset_record import OFFSET_RECORD
from spark_jobs.wire.receipt import Reading
from spark_jobs.wire.record_commit import EARLIEST, LATEST
from spark_jobs.wire.text_blocks import Block, line_blocks
from spark_jobs.wire.text_layout import Either, Fitting, Is, Layout, Lines, Maybe, Number, Text, Until, fitting
from spark_jobs.wire.text_rows import TORN, Counted, Row, in_order, unknown

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

_SLOW_RECORD = re.compile(
    r"(?:\| )?(?:offset: (?P<offset>\d{1,18}) (?P<head>.*?) )?"
    r"(?:key: (?P<record>.*)|endTxnMarker: (?P<marker>COMMIT|ABORT)\b.*)",
    re.DOTALL,
)
# Without --offsets-decoder or --print-data-log.
_NOT_PRINTED = re.compile(r"\| offset: \d+ .*(?:headerKeys: \[.*\]|sequence: -?\d+|crc: \w+\}?)$")
# More digits may have been cut away.
_MAY_GO_ON = re.compile(r" payload: offset=-?\d+$")
_RECORD_TIME = re.compile(r"\b(?:CreateTime|LogAppendTime): (-?\d{1,18})\b")
_KEY_SIZE, _VALUE_SIZE = re.compile(r"\bkey[sS]ize: (\d{1,9})\b"), re.compile(r"\bvalue[sS]ize: (\d{1,9})\b")
_BESIDE = re.compile(
    r"(?:Log s|S)tarting offset: |Non-consecutive offsets in |\s+\d+ is followed by \d+$|Mismatches in ?:"
    r"|\s+Index offset: |Found timestamp mismatch|Found out of order timestamp|Indexes offsets? not found|"
    r"Missing next offset|Index position \d+ in |\s+Index timestamp: "
)
_INVALID_BYTES = re.compile(r"Found (\d{1,18}) invalid bytes at the end of ")
# A metadata text may have line feeds in it.
_MOST_LINES = 100
_NAMED = r"^(?P<topic>[A-Za-z0-9._-]+)-(?P<partition_id>[0-9]{1,9})$"
# Type, lengths of group and topic, partition.
_KEY_FIELDS = 10
_MICROSECONDS = 1000


def read_dump_log(file: BinaryIO, name: str) -> Reading:
    del name
    dump = _Dump()
    for block in line_blocks(file):
        yield from dump.read(block)
    dump.counted.details["batches"] = dump.batches.found
    dump.counted.details["damaged_batches"] = dump.batches.invalid
    dump.counted.details["records_not_printed"] = max(dump.batches.records - dump.records, 0)
    return dump.counted.receipt("dump_log")


class _Dump:
    def __init__(self) -> None:
        self.batches = Batches()
        self.counted = Counted("batches", "damaged_batches", "records_not_printed", "torn_bytes")
        self.records = 0
        # Records already read of the batch that the block before left open.
        self._of_open_batch = 0

    def read(self, block: Block) -> Iterator[pa.RecordBatch]:
        lines = block.pieces
        starts_with = _first_bytes(lines)
        batch_lines = np.flatnonzero(starts_with("baseOffset: ") | starts_with("offset: "))
        unread = self.batches.read(lines, batch_lines, np.flatnonzero(starts_with("Dumping ")))
        # Before 2.x nothing stands before the offset of a record.
        bare = np.array([row for row in unread.tolist() if _SLOW_RECORD.match(lines.text_of(row))], np.int64)
        records = np.union1d(np.flatnonzero(starts_with("|")), bare)
        known = starts_with("Dumping ")
        known[np.setdiff1d(batch_lines, unread)] = True
        known[records] = True
        self.records += len(records)
        self.counted.records += len(records)
        self._offsets = self._offsets_by_rank(records)

        found = fitting(_RECORD, lines.some(records))
        found = Fitting(records[found.rows], found.numbers, found.texts)
        found = self._whole(found, block)
        closer = np.setdiff1d(records, found.rows)
        is_marker = found.number("marker").is_valid().to_numpy(zero_copy_only=False)
        quick = [self._commits(found.some(~is_marker), block), self._markers(found.some(is_marker), block)]
        rows = self._look_closer(block, closer, np.flatnonzero(~known))
        for batch in in_order(quick, rows, DUMPED_RECORD):
            self.counted.count(batch)
            yield batch

    def _whole(self, found: Fitting, block: Block) -> Fitting:
        """Without records of damaged batches, and texts that the sizes beside them contradict."""
        fine = plausible(found) & (self.batches.numbers("valid", found.rows) != 0)
        is_text = found.number("is_text").is_valid().to_numpy(zero_copy_only=False)
        if is_text.any():
            metadata = pc.fill_null(pc.binary_length(found.text("metadata")), 0)
            # 20, 24 or 28 bytes are other fields. A tombstone's size is -1.
            rest = pc.subtract(found.number("value_size"), metadata)
            sized = pc.or_(pc.is_in(rest, pa.array([20, 24, 28])), found.number("tombstone").is_valid())
            names = pc.add(pc.binary_length(found.text("group_id")), pc.binary_length(found.text("named")))
            named = pc.extract_regex(found.text("named"), _NAMED)
            digits = pc.binary_length(pc.struct_field(named, "partition_id"))
            key_size = pc.add(pc.subtract(names, pc.add(digits, 1)), _KEY_FIELDS)
            keyed = pc.equal(key_size, found.number("key_size"))
            fits = [pc.fill_null(one, True).to_numpy(zero_copy_only=False) for one in (sized, keyed)]
            fine &= ~is_text | (fits[0] & fits[1] & named.is_valid().to_numpy(zero_copy_only=False))
            if not block.ended:
                # The last digits of an offset may be cut away.
                fine &= ~is_text | (found.rows != len(block.pieces.starts) - 1)
        return found.some(fine)

    def _commits(self, found: Fitting, block: Block) -> pa.RecordBatch:
        is_text = found.number("is_text").is_valid()
        more = self._of_batch(found)
        if pc.any(is_text).as_py():
            named = pc.extract_regex(found.text("named"), _NAMED)
            number = pc.struct_field(named, "partition_id").cast(pa.int32())
            more["topic"] = pc.coalesce(pc.struct_field(named, "topic"), found.text("topic"))
            more["partition_id"] = pc.coalesce(number, found.number("partition_id").cast(pa.int32()))
            # A text without metadata has empty ones.
            empty = pc.and_(is_text, pc.is_null(found.number("tombstone")))
            more["metadata"] = pc.if_else(empty, pc.fill_null(found.text("metadata"), ""), found.text("metadata"))
        partition = more.pop("offsets_partition")
        batch = commits(found, block.first + found.rows, more)
        return pa.RecordBatch.from_arrays([*batch.columns, partition], schema=DUMPED_RECORD)

    def _markers(self, found: Fitting, block: Block) -> pa.RecordBatch:
        count = len(found.rows)
        told = {
            **self._of_batch(found),
            "kind": pa.repeat("marker", count),
            "source_position": pa.array(block.first + found.rows),
            "marker": pc.if_else(pc.equal(found.number("marker"), 1), "commit", "abort"),
        }
        columns = [told.get(field.name, pa.nulls(count, field.type)) for field in DUMPED_RECORD]
        return pa.RecordBatch.from_arrays(columns, schema=DUMPED_RECORD)

    def _of_batch(self, found: Fitting) -> dict[str, pa.Array]:
        offsets = self._offsets[np.searchsorted(self._offset_rows, found.rows)]
        from_batch = pa.array(offsets, mask=offsets < 0)
        times = self._times(found.rows)
        printed = found.number("recorded_at")
        times = pc.if_else(pc.is_valid(found.number("record_offset")), printed, pa.array(times, mask=times == UNTOLD))
        transactional = self.batches.numbers("transactional", found.rows)
        return {
            "record_offset": pc.coalesce(found.number("record_offset"), from_batch),
            "recorded_at": time_column(times),
            "producer_id": self.batches.number("producer_id", found.rows, pa.int64()),
            "batch_leader_epoch": self.batches.number("batch_leader_epoch", found.rows, pa.int32()),
            "transactional": pa.array(transactional == 1, mask=transactional == UNTOLD),
            "offsets_partition": self.batches.number("offsets_partition", found.rows, pa.int32()),
        }

    def _offsets_by_rank(self, records: np.ndarray) -> np.ndarray:
        """Where no offset is printed: that of the n-th record, if the batch has no hole; else -1."""
        self._offset_rows = records
        place = self.batches.place(records)
        first = np.searchsorted(place, place, "left")
        rank = np.arange(len(records)) - first + np.where(place == 0, self._of_open_batch, 0)
        base, last = (self.batches.numbers(name, records) for name in ("base_offset", "last_offset"))
        count = self.batches.numbers("count", records)
        same = place == place[-1] if len(place) else place
        last_place = self.batches.place(np.array([np.iinfo(np.int64).max]))[0]
        if last_place != 0:
            self._of_open_batch = 0
        self._of_open_batch += int(same.sum()) if len(place) and place[-1] == last_place else 0
        whole = (base >= 0) & (count == last - base + 1) & (rank < count)
        return np.where(whole, base + rank, -1)

    def _times(self, rows: np.ndarray) -> np.ndarray:
        """Where no time is printed: the batch's, if all its records have it."""
        exact = (self.batches.numbers("count", rows) == 1) | (self.batches.numbers("append_time", rows) == 1)
        return np.where(exact, self.batches.numbers("time", rows), UNTOLD)

    def _look_closer(self, block: Block, records: np.ndarray, odd: np.ndarray) -> list[Row]:
        lines, first = block.pieces, block.first
        torn = -1 if block.ended else len(lines.starts) - 1
        rows: list[Row] = []
        given: list[tuple[int, Given, str]] = []
        left = set(odd.tolist())
        for line in records.tolist():
            text = lines.text_of(line)
            if _NOT_PRINTED.match(text):
                self.counted.ignored += 1
                continue
            row = None if line == torn and _MAY_GO_ON.search(text) else self._record(text, line)
            follows = line + 1
            while row is None and follows in left and follows - line < _MOST_LINES:
                text += "\n" + lines.text_of(follows)
                row = self._record(text, line)
                follows += 1
            if row is None:
                row = self._placed(unknown(lines.bytes_of(line), TORN), line, None)
            else:
                left.difference_update(range(line + 1, follows))
            if isinstance(row, tuple):
                fields, printed = row
                given.append((len(rows), fields, text))
                row = printed
            row["source_position"] = first + line
            rows.append(row)
        for (at, _, text), row in zip(given, rows_of([fields for _, fields, _ in given]), strict=True):
            kept = unknown(text, "") if row["kind"] == "unknown" else {}
            rows[at].update({**kept, **row})
        for line in sorted(left):
            text = lines.text_of(line)
            if found := _INVALID_BYTES.match(text):
                self.counted.details["torn_bytes"] += int(found[1])
            elif not _BESIDE.match(text):
                rows += [{**row, "source_position": first + line} for row in self.counted.stray_lines(text)]
            else:
                self.counted.details["tool_lines"] += 1
        return rows

    def _record(self, text: str, line: int) -> Row | tuple[Given, Row] | None:
        """Null where it isn't whole."""
        found = _SLOW_RECORD.fullmatch(text)
        if not found:
            return None
        if self.batches.numbers("valid", np.array([line]))[0] == 0:
            return self._placed(unknown(text, str(TEXTS[CRC])), line, found)
        if found["marker"]:
            return self._placed({"kind": "marker", "marker": found["marker"].lower()}, line, found)
        if found["record"].startswith(dump_log_json.BEGIN):
            row = dump_log_json.read_json(found["record"])
            if isinstance(row, Given):
                return row, self._placed({}, line, found)
            return self._placed(row, line, found)
        if not found["record"].startswith(dump_log_text.BEGINNINGS):
            return None
        sizes = [_first_number(pattern, found["head"]) for pattern in (_KEY_SIZE, _VALUE_SIZE)]
        told = dump_log_text.read_text(found["record"], *sizes)
        return told if told is None else self._placed(told, line, found)

    def _placed(self, row: Row, line: int, found: "re.Match[str] | None") -> Row:
        at = np.array([line])
        offset, time = None, None
        if found is not None and found["offset"] is not None:
            offset, time = int(found["offset"]), _first_number(_RECORD_TIME, found["head"])
        elif found is not None:
            offset = _or_none(self._offsets[np.searchsorted(self._offset_rows, line)])
            time = _or_none(self._times(at)[0])
        if time is not None and not EARLIEST <= time <= LATEST:
            row = {**row, "kind": "unknown", "problem": TEXTS[TIME]}
            time = None
        transactional = self.batches.numbers("transactional", at)[0]
        return {
            **row,
            "record_offset": offset,
            "recorded_at": None if time in (None, -1) else time * _MICROSECONDS,
            "producer_id": _or_none(self.batches.numbers("producer_id", at)[0]),
            "batch_leader_epoch": _or_none(self.batches.numbers("batch_leader_epoch", at)[0]),
            "transactional": None if transactional == UNTOLD else bool(transactional),
            "offsets_partition": _or_none(self.batches.numbers("offsets_partition", at)[0]),
        }


def _or_none(number: "np.int64 | int") -> int | None:
    return int(number) if number >= 0 else None


def _first_number(pattern: "re.Pattern[str]", text: str | None) -> int | None:
    found = pattern.search(text or "")
    return int(found[1]) if found else None


def _first_bytes(lines: Lines):  # type: ignore[no-untyped-def]
    def starts_with(word: str) -> np.ndarray:
        letters = word.encode()
        fits = lines.ends - lines.starts >= len(letters)
        for place, letter in enumerate(letters):
            fits[fits] = lines.block[lines.starts[fits] + place] == letter
        return fits

    return starts_with
