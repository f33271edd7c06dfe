"""Who reads which partition at the end of a day, and its form on disk: a part of the JSON of silver.stories.story.

Its keys are part of the version in history_state.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.reading.logging_clients import LoggingClient
from kafka_telemetry.groups.reading.reading import ClientKey, Reader, Reading, Readings


@dataclass(frozen=True)
class ReadingState:
    readings: Readings = field(default_factory=dict)
    clients: dict[ClientKey, LoggingClient] = field(default_factory=dict)


def encode_reading_state(state: ReadingState) -> dict[str, Any]:
    """Partitions that were read in the same way are written once."""
    partitions: dict[tuple[Any, ...], list[TopicPartition]] = {}
    for partition, reading in state.readings.items():
        partitions.setdefault(_fields(reading), []).append(partition)
    return {
        "readings": [
            {
                "partitions": sorted(read),
                "member_id": reader.member_id,
                "client_id": reader.client_id,
                "instance_id": reader.instance_id,
                "log": reader.log,
                "incarnation": incarnation,
                "since": since,
                "stopped_at": stopped_at,
                "stopped_by": stopped_by,
                "ended_at": ended_at,
                "ended_by": ended_by,
                "session_timeout_ms": session_timeout_ms,
            }
            for (
                *(reader, incarnation, since, stopped_at, stopped_by, ended_at, ended_by, session_timeout_ms),
            ), read in partitions.items()
        ],
        "clients": [
            {
                "log": log,
                "member_id": client.member_id,
                "instance_id": client.instance_id,
                "generation": client.generation,
                "seen_at": client.seen_at,
            }
            for log, client in state.clients.items()
        ],
    }


def decode_reading_state(encoded: Mapping[str, Any]) -> ReadingState:
    readings: Readings = {}
    for one in encoded["readings"]:
        reader = Reader(one["member_id"], one["client_id"], one["instance_id"], _decode_log(one["log"]))
        for topic, number in one["partitions"]:
            readings[topic, number] = Reading(
                reader=reader,
                incarnation=one["incarnation"],
                since=one["since"],
                stopped_at=one["stopped_at"],
                stopped_by=one["stopped_by"],
                ended_at=one["ended_at"],
                ended_by=one["ended_by"],
                session_timeout_ms=one["session_timeout_ms"],
            )
    clients: dict[ClientKey, LoggingClient] = {}
    for one in encoded["clients"]:
        log = _decode_log(one["log"])
        if log is not None:
            clients[log] = LoggingClient(one["member_id"], one["instance_id"], one["generation"], one["seen_at"])
    return ReadingState(readings, clients)


def _fields(reading: Reading) -> tuple[Any, ...]:
    return (
        *(reading.reader, reading.incarnation, reading.since, reading.stopped_at, reading.stopped_by),
        *(reading.ended_at, reading.ended_by, reading.session_timeout_ms),
    )


def _decode_log(log: Sequence[str | None] | None) -> ClientKey | None:
    return None if log is None else (log[0], log[1])
