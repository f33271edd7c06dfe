"""Copies new record batches of `__consumer_offsets` into landing, byte for byte as they are on the broker's disk."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kafka.errors import for_code
from kafka.protocol.consumer import FetchRequest

from spark_jobs.collect.cluster_client import OFFSETS_TOPIC, ClusterClient, TopicMetadata
from spark_jobs.collect.collect_state import CollectedPartition, CollectState, encode_state
from spark_jobs.collect.landing_target import LandingTarget
from spark_jobs.collect.partition_ends import PartitionEnds
from spark_jobs.collect.raw_batches import FetchedBatches, NotABatchError, whole_batches

_ANY_REPLICA = -1
_FETCHED_AT_ONCE = 8 << 20
# What is held in memory before it is written.
_WRITTEN_AT_ONCE = 32 << 20
_READ_UNCOMMITTED = 0
# The last version that names topics; the first that is sent batches compressed with zstd is 10.
_FETCH_VERSION = 12
_NOT_ALLOWED = 29


class UnreadPartitionError(Exception):
    """The rest of a partition can't be read now. The message says why."""


class NotAllowedError(UnreadPartitionError):
    """No partition can be read."""


class ReadPlan(NamedTuple):
    partition: int
    leader: int
    # Offsets from `begin` up to `end`, which is where the log ended when the command began.
    begin: int
    end: int


@dataclass
class CopiedOffsets:
    records: int = 0
    size: int = 0
    partitions: int = 0
    files: set[str] = field(default_factory=set)
    # Sentences: what is gone, and what could not be read.
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def plan_reading(
    topic: TopicMetadata, ends: PartitionEnds, state: CollectState, copied: CopiedOffsets
) -> list[ReadPlan]:
    """What to read of each partition: from where the last collection ended, or from where the log starts."""
    plans = []
    for partition, leader in sorted(topic.leaders.items()):
        key = (topic.name, partition)
        start, end, last = ends.starts.get(key), ends.ends.get(key), state.partitions.get(partition)
        if leader is None or start is None or end is None:
            copied.missing.append(
                f"{OFFSETS_TOPIC}-{partition} has no leader now, or a new one: the next collection reads on"
            )
            continue
        begin = last.next_offset if last else start
        if begin > end:
            copied.notes.append(
                f"{OFFSETS_TOPIC}-{partition} ends at {end:,}, before the {begin:,} of the last collection: it was made anew, "
                "and is read from its start"
            )
            begin = start
        elif begin < start:
            copied.notes.append(
                f"{OFFSETS_TOPIC}-{partition} starts at {start:,} now: {start - begin:,} offsets after the last collection are "
                "gone. Collect more often than they are deleted"
            )
            begin = start
        plans.append(ReadPlan(partition, leader, begin, end))
    return plans


@dataclass
class OffsetsCopy:
    """Writes what is read, and then the state that says so."""

    target: LandingTarget
    state: CollectState
    state_file: str
    # The folder of this day and cluster.
    folder: str
    now: dt.datetime
    copied: CopiedOffsets

    def copy(self, client: ClusterClient, plans: list[ReadPlan], doing: Callable[[str], None]) -> None:
        unsaved = 0
        for plan in plans:
            doing(f"{OFFSETS_TOPIC}-{plan.partition}")
            try:
                for batches in _gathered(fetched(client, plan)):
                    self._write(plan.partition, batches)
                    unsaved += len(batches.content)
                    if unsaved >= _WRITTEN_AT_ONCE:
                        self.save()
                        unsaved = 0
            except NotAllowedError as error:
                self.copied.missing.append(str(error))
                break
            except UnreadPartitionError as error:
                self.copied.missing.append(str(error))
            else:
                self.copied.partitions += 1
        self.save()

    def save(self) -> None:
        self.target.replace(self.state_file, encode_state(self.state))

    def _write(self, partition: int, batches: FetchedBatches) -> None:
        folder = f"{self.folder}/{OFFSETS_TOPIC}-{partition}"
        last = self.state.partitions.get(partition)
        # A log that was made anew: in one file offsets only rise.
        is_anew = last is not None and last.size > 0 and batches.base_offset < last.next_offset
        place = None if is_anew else self.target.growing_file(last, folder, len(batches.content))
        if place is None:
            file = self.target.new_file(folder, batches.base_offset, f"{self.now:%Y%m%dT%H%M%SZ}")
            begin = batches.base_offset if last is None or is_anew else last.next_offset
            place = CollectedPartition(begin, file, 0)
            if self.target.can_grow:
                # A file that a kill leaves is known by the state, and written again.
                self._remember(partition, place)
                self.save()
        self.target.write(place.file, place.size, batches.content)
        size = place.size + len(batches.content)
        self._remember(partition, CollectedPartition(batches.next_offset, place.file, size))
        self.copied.records += batches.records
        self.copied.size += len(batches.content)
        self.copied.files.add(place.file)

    def _remember(self, partition: int, place: CollectedPartition) -> None:
        self.state = replace(self.state, partitions={**self.state.partitions, partition: place})


def fetched(client: ClusterClient, plan: ReadPlan) -> Iterator[FetchedBatches]:
    """Whole batches from the begin of the plan until one reaches its end."""
    name, at, size = f"{OFFSETS_TOPIC}-{plan.partition}", plan.begin, _FETCHED_AT_ONCE
    while at < plan.end:
        answer = client.send(plan.leader, _request(plan.partition, at, size))
        found = next((each for topic in answer.responses for each in topic.partitions), None)
        code = answer.error_code or (found.error_code if found is not None else 0)
        if code == _NOT_ALLOWED:
            raise NotAllowedError(f"{OFFSETS_TOPIC} may not be read: allow READ on the topic {OFFSETS_TOPIC}")
        if code or found is None:
            raise UnreadPartitionError(
                f"{name} can't be read from {at:,} on ({for_code(code).__name__}): the next collection reads on"
            )
        try:
            batches = whole_batches(found.records or b"", at)
        except NotABatchError as error:
            raise UnreadPartitionError(f"{name} is damaged: {error}") from error
        if batches.content:
            yield batches
            at = batches.next_offset
        elif found.records:
            # The batch is larger than what was asked for, and the broker is too old to send it whole.
            size *= 2
        else:
            raise UnreadPartitionError(
                f"{name} was read up to {at:,} of {plan.end:,}: the broker sends nothing after it"
            )


def _gathered(pieces: Iterator[FetchedBatches]) -> Iterator[FetchedBatches]:
    """Joins consecutive pieces until they are worth writing. What was read before an error is passed on, too."""
    parts: list[FetchedBatches] = []
    try:
        for piece in pieces:
            parts.append(piece)
            if sum(len(part.content) for part in parts) >= _WRITTEN_AT_ONCE:
                yield _joined(parts)
                parts = []
    except UnreadPartitionError:
        if parts:
            yield _joined(parts)
        raise
    if parts:
        yield _joined(parts)


def _joined(parts: list[FetchedBatches]) -> FetchedBatches:
    content = b"".join(part.content for part in parts)
    return FetchedBatches(content, parts[0].base_offset, parts[-1].next_offset, sum(part.records for part in parts))


def _request(partition: int, offset: int, size: int) -> Any:
    topic_type = FetchRequest.FetchTopic
    wanted = topic_type.FetchPartition(
        partition=partition,
        current_leader_epoch=-1,
        fetch_offset=offset,
        last_fetched_epoch=-1,
        log_start_offset=-1,
        partition_max_bytes=size,
    )
    return FetchRequest(
        replica_id=_ANY_REPLICA,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=size,
        isolation_level=_READ_UNCOMMITTED,
        session_id=0,
        session_epoch=-1,
        topics=[topic_type(topic=OFFSETS_TOPIC, partitions=[wanted])],
        forgotten_topics_data=[],
        rack_id="",
        max_version=_FETCH_VERSION,
    )
