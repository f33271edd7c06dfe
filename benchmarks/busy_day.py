"""A busy day of `__consumer_offsets` as segments: every group commits all of its topics around the clock.

Mostly commits, now and then in a transaction or a rebalance. Positions, times and generations rise with the log.
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
_DAY = 86_400_000
_GROUPS = 20
_TOPICS = [f"{name}-events" for name in ("orders", "payments", "shipments", "returns", "prices")]
_PARTITIONS = 10
_ROUNDS = 20
_PROCESSED_A_ROUND = 500
_EVERY_TRANSACTION, _EVERY_REBALANCE = 20, 50
_COMMITTED = "committed offset"

Octets = npt.NDArray[np.uint8]


def deliver_busy_day(landing: Path, megabytes: int, files: int, *, cluster: str = "busy") -> int:
    """One segment each of `files` partitions, `megabytes` in all. Returns the number of records."""
    folder = landing / "offset_dumps" / f"cluster={cluster}" / f"date={FIRST}" / "broker-1"
    records = 0
    for partition in range(files):
        place = folder / f"__consumer_offsets-{partition}" / f"{0:020}.log"
        place.parent.mkdir(parents=True)
        records += _write_day(place, partition, megabytes * 1_000_000 // files)
    return records


def _write_day(place: Path, partition: int, size: int) -> int:
    """One block again and again, each time at later offsets, times, positions and generations."""
    batches = list(_block(partition))
    encoded = [encode_batch(batch) for batch in batches]
    block = np.frombuffer(b"".join(encoded), np.uint8).copy()
    ends = np.cumsum([0, *map(len, encoded)])
    records = sum(len(batch.records) for batch in batches)
    turns = max(size // len(block), 1)
    midnight = int(dt.datetime.combine(FIRST, dt.time(), dt.UTC).timestamp() * 1000)
    step = _DAY // (turns * records)
    rising = _places(batches, encoded)
    offsets = _Numbers(block, ends[:-1], 8)
    # In the block a record's time is its offset.
    times = _Numbers(block, rising[TIME], 8)
    committed = _Numbers(block, rising[_COMMITTED], 8)
    generations = _Numbers(block, rising[GENERATION], 4)
    with place.open("wb") as file:
        for turn in range(turns):
            offsets.write(offsets.first + turn * records)
            times.write(midnight + (times.first + turn * records) * step)
            committed.write(committed.first + turn * _ROUNDS * _PROCESSED_A_ROUND)
            generations.write(generations.first + turn * generations.first.max())
            data = block.tobytes()
            for start, end in itertools.pairwise(ends):
                crc = google_crc32c.value(data[start + CRC_FROM : end])
                block[start + CRC_AT : start + CRC_AT + 4] = list(struct.pack(">I", crc))
            file.write(block.tobytes())
    return records * turns


class _Numbers:
    """Big-endian numbers of one width, at some places of a block."""

    def __init__(self, block: Octets, places: npt.ArrayLike, width: int) -> None:
        self._block = block
        self._kind = f">i{width}"
        self._octets = np.asarray(places, np.int64)[:, None] + np.arange(width)
        self.first = block[self._octets].view(self._kind).reshape(-1).astype(np.int64)

    def write(self, numbers: npt.NDArray[np.int64]) -> None:
        self._block[self._octets] = numbers.astype(self._kind).view(np.uint8).reshape(self._octets.shape)


def _block(partition: int) -> Iterator[Batch]:
    names = (f"group-{number}" for number in itertools.count())
    of_partition = (name for name in names if java_hash(name) % OFFSETS_PARTITIONS == partition)
    groups = list(itertools.islice(of_partition, _GROUPS))
    offset = turn = rebalances = 0
    for processed in range(_ROUNDS):
        for (number, group), topic in itertools.product(enumerate(groups), _TOPICS):
            turn += 1
            yield Batch(
                [_commit(offset, group, topic, of, processed * _PROCESSED_A_ROUND) for of in range(_PARTITIONS)],
                producer_id=-1 if turn % _EVERY_TRANSACTION else number,
                transactional=turn % _EVERY_TRANSACTION == 0,
            )
            offset += _PARTITIONS
            if turn % _EVERY_TRANSACTION == 0:
                yield marker_batch(offset, offset, number, 0, commit=turn % (7 * _EVERY_TRANSACTION) != 0)
                offset += 1
            if turn % _EVERY_REBALANCE == 0:
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


def _places(batches: list[Batch], encoded: list[bytes]) -> dict[str, list[int]]:
    """Where in the block numbers stand that rise with every turn."""
    found: dict[str, list[int]] = {TIME: [], GENERATION: [], _COMMITTED: []}
    start = 0
    for batch, data in zip(batches, encoded, strict=True):
        found[TIME] += [start + BASE_TIMESTAMP_AT, start + MAX_TIMESTAMP_AT]
        at = 0
        for record in [] if batch.control else batch.records:
            assert record.key is not None
            assert record.value is not None
            at = data.index(record.value, at)
            key_type = struct.unpack_from(">h", record.key)[0]
            for place, _, meaning in find_times_and_epochs(key_type, record.value):
                found[meaning].append(start + at + place)
            if key_type == 1:
                found[_COMMITTED].append(start + at + 2)
            at += len(record.value)
        start += len(data)
    return found
