"""Follows who reads each partition of a group, and describes every start: rows of silver.read_starts.

A consumer whose log reports its partitions is followed by its log: it reads from "Adding newly assigned partitions" to
"Revoke previously assigned partitions". The others are followed by the owners that group records show.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.history.day_generations import DayGenerations
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.previous_generation import GenerationKey
from kafka_telemetry.groups.history.sessions import MemberSessions
from kafka_telemetry.groups.reading.logging_clients import ASSIGNED, LOST, PARTITION_EVENTS, LoggingClients
from kafka_telemetry.groups.reading.owner_change import OwnerChange
from kafka_telemetry.groups.reading.partition_lists import parse_partitions
from kafka_telemetry.groups.reading.reading import Reader, Reading
from kafka_telemetry.groups.reading.reading_state import ReadingState
from kafka_telemetry.groups.reading.session_gaps import SessionGaps
from kafka_telemetry.groups.reading.stops import Stop, stop_of, take_over_session_end

# A partition that nobody has read for so long is forgotten.
_FORGOTTEN_AFTER = 30 * 86_400_000_000

Row = dict[str, Any]


class ReadingHistory:
    def __init__(
        self,
        state: ReadingState,
        events: Sequence[LogEvent],
        generations: DayGenerations,
        sessions: MemberSessions,
        rebalances: Iterable[Row],
        *,
        sees_whole_group: bool,
    ) -> None:
        """`events` are the lines of the day in the order of time, `sessions` and `rebalances` those of the whole day."""
        self._readings = state.readings
        self._clients = LoggingClients(state.clients, events)
        self._events = events
        self._generations = generations
        self._sessions = sessions
        self._gaps = SessionGaps(sessions.all) if sees_whole_group else None
        self._rebalances: Mapping[GenerationKey, Row] = {
            (row["incarnation"], row["generation"]): row for row in rebalances
        }
        self._generation: GenerationKey | None = None
        self._rows: list[Row] = []
        self._last_rows: dict[TopicPartition, Row] = {}

    def follow(self, owner_changes: Iterable[OwnerChange]) -> list[Row]:
        """The rows of the day. Afterwards `state` is what the next day starts from."""
        steps: list[tuple[int, int, int, LogEvent | OwnerChange]] = [
            *((event.at, 1, 0, event) for event in self._events if event.side == "client"),
            *((change.at, 0, change.record_offset, change) for change in owner_changes),
        ]
        for *_, step in sorted(steps, key=lambda step: step[:3]):
            if isinstance(step, LogEvent):
                self._apply_line(step)
            else:
                self._apply_owner_change(step)
        return self._rows

    def state(self, now: int) -> ReadingState:
        for reading in self._readings.values():
            take_over_session_end(reading, self._sessions)
        kept = {
            partition: reading
            for partition, reading in self._readings.items()
            if (reading.stopped_at or reading.ended_at or now) > now - _FORGOTTEN_AFTER
        }
        logs = {reading.reader.log for reading in kept.values()}
        return ReadingState(kept, {key: client for key, client in self._clients.by_key.items() if key in logs})

    def _apply_line(self, event: LogEvent) -> None:
        client = self._clients.observe(event)
        if client is None or event.event not in PARTITION_EVENTS:
            return
        reader = self._clients.reader_of(event, client)
        key = self._generations.key_of(event._replace(generation=client.generation))
        for partition in parse_partitions(event.details.get("partitions")):
            if event.event == ASSIGNED:
                self._start(partition, event.at, reader, (key[0], client.generation), None)
            else:
                self._stop(partition, event.at, reader, "lost" if event.event == LOST else "revoked")

    def _apply_owner_change(self, change: OwnerChange) -> None:
        if change.generation is None:
            # Deleted, or turned into a group of another protocol. Only another incarnation starts anew.
            return
        key = change.incarnation, change.generation
        rebalance = self._rebalances.get(key, {})
        began_at: int | None = rebalance.get("started_at") if change.group_type == "classic" else None
        at = max(rebalance.get("completed_at") or 0, change.at) if change.group_type == "classic" else change.at
        if _is_eager(rebalance) and key != self._generation:
            for partition, reading in list(self._readings.items()):
                is_by_records = reading.reader.log is None and reading.stopped_at is None
                if is_by_records and partition not in change.owners:
                    self._start(partition, at, reading.reader, key, began_at, is_again=True)
        self._generation = key
        for partition, owner in change.owners.items():
            if owner is None:
                self._release(partition, change.at)
            elif not self._clients.reports(owner[0]):
                session = self._sessions.latest(owner[0], change.at)
                instance_id = session.instance_id if session is not None else None
                self._start(partition, at, Reader(*owner, instance_id), key, began_at)

    def _start(
        self,
        partition: TopicPartition,
        at: int,
        reader: Reader,
        key: tuple[int, int | None],
        began_at: int | None,
        *,
        is_again: bool = False,
    ) -> None:
        """`began_at`: when the rebalance began, in which a reader that is known from records alone stopped at the latest."""
        previous = self._readings.get(partition)
        if previous is not None and previous.incarnation != key[0]:
            previous = None
        stop = None
        if previous is not None:
            if previous.stopped_at is None and previous.reader.member_id == reader.member_id and not is_again:
                return
            take_over_session_end(previous, self._sessions)
            stop = stop_of(previous, at, began_at, self._clients.last_seen(previous.reader))
        row = self._row(partition, at, reader, key, previous, stop)
        self._rows.append(row)
        self._last_rows[partition] = row
        self._readings[partition] = Reading(reader, key[0], at)

    def _row(
        self,
        partition: TopicPartition,
        at: int,
        reader: Reader,
        key: tuple[int, int | None],
        previous: Reading | None,
        stop: Stop | None,
    ) -> Row:
        row: Row = {
            "topic": partition[0],
            "partition_id": partition[1],
            "started_at": at,
            "incarnation": key[0],
            "generation": key[1],
            "cause": "first",
            "in_client_log": reader.log is not None,
            "origin": reader.log[0] if reader.log is not None else None,
            "to_member_id": reader.member_id,
            "to_client_id": reader.client_id,
        }
        if previous is None or stop is None:
            return row
        was_empty = None
        if self._gaps is not None and stop.at is not None:
            was_empty = self._gaps.any_between(stop.at, at)
        return row | {
            "cause": "kept" if reader.is_same_member(previous.reader) else "assigned",
            "from_member_id": previous.reader.member_id,
            "from_client_id": previous.reader.client_id,
            "ended_by": stop.ended_by,
            "stopped_at": stop.at,
            "stopped_by": stop.by,
            "ended_at": stop.ended_at,
            "session_timeout_ms": previous.session_timeout_ms,
            "is_measured": stop.is_measured and reader.log is not None,
            "group_was_empty": was_empty,
        }

    def _stop(self, partition: TopicPartition, at: int, reader: Reader, by: str) -> None:
        reading = self._readings.get(partition)
        if reading is not None and reading.reader.log == reader.log and reading.reader.member_id == reader.member_id:
            reading.stopped_at, reading.stopped_by = at, by
            return
        # Another member reads it already: this one did until now, without knowing.
        row = self._last_rows.get(partition, {})
        is_overlap = row.get("ended_by") in _MAY_READ_ON and row["stopped_by"] is None and row["started_at"] <= at
        if is_overlap and row["from_member_id"] == reader.member_id:
            row |= {"stopped_at": at, "stopped_by": by, "is_measured": True, "group_was_empty": False}

    def _release(self, partition: TopicPartition, at: int) -> None:
        reading = self._readings.get(partition)
        if reading is not None and reading.reader.log is None and reading.stopped_at is None:
            reading.stopped_at, reading.stopped_by = at, "released"


# A member that was replaced or fenced reads on until it hears of it.
_MAY_READ_ON = ("replaced", "fenced", "revoked")


def _is_eager(rebalance: Row) -> bool:
    """Whether all members give up all their partitions in the rebalance."""
    assignor = rebalance.get("assignor")
    is_classic = rebalance.get("group_type") == "classic"
    return is_classic and assignor is not None and "cooperative" not in assignor and assignor != "stream"
