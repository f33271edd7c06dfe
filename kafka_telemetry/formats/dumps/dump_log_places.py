"""Where a dumped record stands: what its own line says of that, and what it takes from the lines above it."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.dumps.commit_text import time_column
from kafka_telemetry.formats.dumps.dump_log_batches import UNTOLD, Batches
from kafka_telemetry.formats.dumps.line_patterns import Flags, Longs
from kafka_telemetry.formats.offset_record import EARLIEST_TIME, LATEST_TIME

_BEHIND_ALL = np.array([np.iinfo(np.int64).max])


class Places:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._records = self._offsets = np.empty(0, np.int64)
        # Records already read of the batch that the block before left open.
        self._of_open_batch = 0

    def begin(self, records: Longs) -> None:
        """The lines of a block that are records. The n-th of a batch without holes has the n-th offset."""
        place = self._batches.place(records)
        rank = np.arange(len(records)) - np.searchsorted(place, place, "left")
        rank += np.where(place == 0, self._of_open_batch, 0)
        base, last, count = (self._batches.numbers(name, records) for name in ("base_offset", "last_offset", "count"))
        whole = (base >= 0) & (count == last - base + 1) & (rank < count)
        self._records, self._offsets = records, np.where(whole, base + rank, UNTOLD)
        left_open = int(self._batches.place(_BEHIND_ALL)[0])
        before = self._of_open_batch if left_open == 0 else 0
        self._of_open_batch = before + int((place == left_open).sum())

    def trusted(self, records: Longs) -> Flags:
        return np.asarray(self._batches.numbers("valid", records) != 0, np.bool_)

    def columns(self, records: Longs, offsets: pa.Array, times: pa.Array) -> dict[str, pa.Array]:
        """`offsets` and `times` are what the records' own lines print."""
        numbered = self._offsets[np.searchsorted(self._records, records)]
        batch_times = self._times(records)
        printed = pc.is_valid(offsets)
        transactional = self._batches.numbers("transactional", records)
        return {
            "record_offset": pc.coalesce(offsets, pa.array(numbered, mask=numbered == UNTOLD)),
            "recorded_at": time_column(pc.if_else(printed, times, pa.array(batch_times, mask=batch_times == UNTOLD))),
            "producer_id": self._batches.number("producer_id", records, pa.int64()),
            "batch_leader_epoch": self._batches.number("batch_leader_epoch", records, pa.int32()),
            "transactional": pa.array(transactional == 1, mask=transactional == UNTOLD),
            "offsets_partition": self._batches.number("offsets_partition", records, pa.int32()),
        }

    def _times(self, records: Longs) -> Longs:
        """The batch's, if all its records have it."""
        times = self._batches.numbers("time", records)
        exact = (self._batches.numbers("count", records) == 1) | (self._batches.numbers("append_time", records) == 1)
        return np.where(exact & (times >= EARLIEST_TIME) & (times <= LATEST_TIME), times, UNTOLD)
