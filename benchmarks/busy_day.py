"""A busy day of `__consumer_offsets` as segments: every group commits its positions on all topics around the clock.

Some of the commits are in transactions, and groups rebalance now and then. Positions, times and generations rise with the
log.
"""

import base64
import datetime as dt
import itertools
import struct
from collections.abc import Iterator
from pathlib import Path

import google_crc32c
import numpy as np
import numpy.typing as npt

from benchmarks.days import FIRST
from kafka_telemetry.formats.segments.batch_layout import BASE_TIMESTAMP_AT, CRC_AT, CRC_FROM, MAX_TIMESTAMP_AT
from kafka_telemetry.formats.segments.field_positions import GENERATION, TIME, find_times_and_epochs
from kafka_telemetry.formats.segments.record_encoding import encode_embedded, encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch, marker_batch
from spark_jobs.bronze.offset_records import java_hash

OFFSETS_PARTITIONS = 50
_DAY_MS = 86_400_000
_GROUPS = 20
_TOPICS = [f"{name}-events" for name in ("orders", "payments", "shipments", "returns", "prices")]
_PARTITIONS = 10
_ROUNDS = 20
_RECORDS_PER_ROUND = 500
# Every 20th batch is in a transaction, every 7th transaction is aborted, and a rebalance follows every 50th batch.
_TRANSACTION_INTERVAL, _ABORT_INTERVAL, _REBALANCE_INTERVAL = 20, 7, 50
_COMMITTED = "committed offset"

Octets = npt.NDArray[np.uint8]


def deliver_busy_day(landing: Path, megabytes: int, files: int, *, cluster: str = "busy") -> int:
    """Writes one segment for each of `files` partitions, `megabytes` in all. Returns the number of records."""
    folder = landing / "offset_dumps" / f"cluster={cluster}" / f"date={FIRST}" / "broker-1"
    records = 0
    for partition in range(files):
        segment = folder / f"__consumer_offsets-{partition}" / f"{0:020}.log"
        segment.parent.mkdir(parents=True)
        records += _write_segment(segment, partition, megabytes * 1_000_000 // files)
    return records


def _write_segment(path: Path, partition: int, size: int) -> int:
    """Writes one block of batches again and again, each time with higher offsets, times, positions and generations."""
    batches = list(_block(partition))
    encoded = [encode_batch(batch) for batch in batches]
    block = np.frombuffer(b"".join(encoded), np.uint8).copy()
    ends = np.cumsum([0, *map(len, encoded)])
    records = sum(len(batch.records) for batch in batches)
    repeats = max(size // len(block), 1)
    midnight = int(dt.datetime.combine(FIRST, dt.time(), dt.UTC).timestamp() * 1000)
    ms_per_record = _DAY_MS // (repeats * records)
    positions = _positions_of_rising_numbers(batches, encoded)
    offsets = _Numbers(block, ends[:-1], 8)
    # In the block the time of a record is its offset.
    times = _Numbers(block, positions[TIME], 8)
    committed = _Numbers(block, positions[_COMMITTED], 8)
    generations = _Numbers(block, positions[GENERATION], 4)
    with path.open("wb") as file:
        for repeat in range(repeats):
            offsets.write(offsets.first + repeat * records)
            times.write(midnight + (times.first + repeat * records) * ms_per_record)
            committed.write(committed.first + repeat * _ROUNDS * _RECORDS_PER_ROUND)
            generations.write(generations.first + repeat * generations.first.max())
            data = block.tobytes()
            for start, end in itertools.pairwise(ends):
                crc = google_crc32c.value(data[start + CRC_FROM : end])
                block[start + CRC_AT : start + CRC_AT + 4] = list(struct.pack(">I", crc))
            file.write(block.tobytes())
    return records * repeats


class _Numbers:
    """Big-endian numbers of one width at given positions of a block; `first` are their original values."""

    def __init__(self, block: Octets, positions: npt.ArrayLike, width: int) -> None:
        self._block = block
        self._dtype = f">i{width}"
        self._octets = np.asarray(positions, np.int64)[:, None] + np.arange(width)
        self.first = block[self._octets].view(self._dtype).reshape(-1).astype(np.int64)

    def write(self, numbers: npt.NDArray[np.int64]) -> None:
        self._block[self._octets] = numbers.astype(self._dtype).view(np.uint8).reshape(self._octets.shape)


def _block(partition: int) -> Iterator[Batch]:
    all_names = (f"group-{number}" for number in itertools.count())
    names = (name for name in all_names if java_hash(name) % OFFSETS_PARTITIONS == partition)
    groups = list(itertools.islice(names, _GROUPS))
    offset = batch_number = rebalances = 0
    for round_number in range(_ROUNDS):
        position = round_number * _RECORDS_PER_ROUND
        for (producer_id, group), topic in itertools.product(enumerate(groups), _TOPICS):
            batch_number += 1
            transactional = batch_number % _TRANSACTION_INTERVAL == 0
            yield Batch(
                [_commit(offset, group, topic, topic_partition, position) for topic_partition in range(_PARTITIONS)],
                producer_id=producer_id if transactional else -1,
                transactional=transactional,
            )
            offset += _PARTITIONS
            if transactional:
                aborted = batch_number % (_ABORT_INTERVAL * _TRANSACTION_INTERVAL) == 0
                yield marker_batch(offset, offset, producer_id, 0, commit=not aborted)
                offset += 1
            if batch_number % _REBALANCE_INTERVAL == 0:
                yield Batch([_rebalance(offset, groups[rebalances % _GROUPS], 1 + rebalances // _GROUPS)])
                offset += 1
                rebalances += 1


def _commit(time: int, group: str, topic: str, partition: int, position: int) -> Record:
    fields = {"offset": position, "leaderEpoch": 3, "metadata": "", "commitTimestamp": time}
    key = encode_key(1, {"group": group, "topic": topic, "partition": partition})
    return Record(time + partition, time, key, encode_value(1, 3, fields))


def _rebalance(offset: int, group: str, generation: int) -> Record:
    def embedded(message: str, **fields: object) -> str:
        return base64.b64encode(encode_embedded(message, 1, {"userData": None, **fields})).decode()

    members = [
        {
            "memberId": f"consumer-{number}-3f9c7f0e-9a6b-4a0e-b4c5-0d6a2b8e7c1{number}",
            "groupInstanceId": None,
            "clientId": f"consumer-{number}",
            "clientHost": f"/10.0.0.{number}",
            "rebalanceTimeout": 300_000,
            "sessionTimeout": 45_000,
            "subscription": embedded("subscription", topics=_TOPICS, ownedPartitions=[]),
            "assignment": embedded(
                "assignment",
                assignedPartitions=[
                    {"topic": topic, "partitions": list(range(number, _PARTITIONS, 2))} for topic in _TOPICS
                ],
            ),
        }
        for number in range(2)
    ]
    fields = {
        "protocolType": "consumer",
        "generation": generation,
        "protocol": "range",
        "leader": members[0]["memberId"],
        "currentStateTimestamp": offset,
        "members": members,
    }
    return Record(offset, offset, encode_key(2, {"group": group}), encode_value(2, 3, fields))


def _positions_of_rising_numbers(batches: list[Batch], encoded: list[bytes]) -> dict[str, list[int]]:
    """Positions in the block of the numbers that rise with every repeat, by their meaning."""
    positions: dict[str, list[int]] = {TIME: [], GENERATION: [], _COMMITTED: []}
    batch_start = 0
    for batch, data in zip(batches, encoded, strict=True):
        positions[TIME] += [batch_start + BASE_TIMESTAMP_AT, batch_start + MAX_TIMESTAMP_AT]
        value_start = 0
        for record in [] if batch.control else batch.records:
            assert record.key is not None
            assert record.value is not None
            value_start = data.index(record.value, value_start)
            key_type = struct.unpack_from(">h", record.key)[0]
            for position, _, meaning in find_times_and_epochs(key_type, record.value):
                positions[meaning].append(batch_start + value_start + position)
            if key_type == 1:
                # The offset follows the version, which has two bytes.
                positions[_COMMITTED].append(batch_start + value_start + 2)
            value_start += len(record.value)
        batch_start += len(data)
    return positions
