"""Log position, time and producer of dumped records: printed on their own line, or else derived from the batch above."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import NULL, Flags, Integers
from kafka_telemetry.formats.dumps.commit_text import time_column
from kafka_telemetry.formats.dumps.dump_log_batches import PrintedBatches
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

# What kafka-dump-log prints: a line names the partition of each file.
DUMPED_RECORD = OFFSET_RECORD.append(pa.field("offsets_partition", pa.int32()))

_AFTER_ALL_LINES = np.array([np.iinfo(np.int64).max])


class LogPositions:
    def __init__(self, batches: PrintedBatches) -> None:
        self._batches = batches
        self._records = self._offsets = np.empty(0, np.int64)
        # Records already read of the batch that the previous block left open.
        self._records_of_open_batch = 0

    def start_block(self, records: Integers) -> None:
        """Derives the offsets of the lines of a block that are records: a batch without holes numbers its records."""
        batch = self._batches.index(records)
        rank = np.arange(len(records)) - np.searchsorted(batch, batch, "left")
        rank += np.where(batch == 0, self._records_of_open_batch, 0)
        base, last, count = (self._batches.numbers(name, records) for name in ("base_offset", "last_offset", "count"))
        has_no_holes = (base >= 0) & (count == last - base + 1) & (rank < count)
        self._records, self._offsets = records, np.where(has_no_holes, base + rank, NULL)
        open_batch = int(self._batches.index(_AFTER_ALL_LINES)[0])
        before = self._records_of_open_batch if open_batch == 0 else 0
        self._records_of_open_batch = before + int((batch == open_batch).sum())

    def are_valid(self, records: Integers) -> Flags:
        """Marks the records whose batch the tool doesn't report as damaged."""
        return np.asarray(self._batches.numbers("valid", records) != 0, np.bool_)

    def columns(self, records: Integers, printed_offsets: pa.Array, printed_times: pa.Array) -> dict[str, pa.Array]:
        """Builds columns of DUMPED_RECORD. Offsets and times are those printed on the records' own lines, or null."""
        offsets = self._offsets[np.searchsorted(self._records, records)]
        batch_times = self._batch_times(records)
        is_printed = pc.is_valid(printed_offsets)
        times = pc.if_else(is_printed, printed_times, pa.array(batch_times, mask=batch_times == NULL))
        transactional = self._batches.numbers("transactional", records)
        return {
            "record_offset": pc.coalesce(printed_offsets, pa.array(offsets, mask=offsets == NULL)),
            "recorded_at": time_column(times),
            "producer_id": self._batches.column("producer_id", records, pa.int64()),
            "batch_leader_epoch": self._batches.column("batch_leader_epoch", records, pa.int32()),
            "transactional": pa.array(transactional == 1, mask=transactional == NULL),
            "offsets_partition": self._batches.column("offsets_partition", records, pa.int32()),
        }

    def _batch_times(self, records: Integers) -> Integers:
        """Returns the time of the batch where all its records have that time."""
        times = self._batches.numbers("time", records)
        is_shared = (self._batches.numbers("count", records) == 1) | (
            self._batches.numbers("append_time", records) == 1
        )
        return np.where(is_shared & (times >= EARLIEST_TIME) & (times <= LATEST_TIME), times, NULL)
