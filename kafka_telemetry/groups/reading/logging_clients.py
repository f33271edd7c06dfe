"""The consumers of a group whose logs report which partitions they read."""

from collections.abc import Iterable
from dataclasses import dataclass

from kafka_telemetry.groups.history.log_event import LogEvent, parse_count
from kafka_telemetry.groups.reading.reading import ClientKey, Reader

ASSIGNED, REVOKED, LOST = "partitions_assigned", "partitions_revoked", "partitions_lost"
PARTITION_EVENTS = (ASSIGNED, REVOKED, LOST)


@dataclass
class LoggingClient:
    """What the lines of a consumer reported last."""

    member_id: str | None = None
    instance_id: str | None = None
    # Generation or member epoch.
    generation: int | None = None
    seen_at: int = 0


class LoggingClients:
    def __init__(self, known: dict[ClientKey, LoggingClient], events: Iterable[LogEvent]) -> None:
        """`events` are the lines of the day. A record may come before the first line of its member."""
        self.by_key = known
        self._members = {client.member_id for client in known.values()}
        members: dict[ClientKey, set[str]] = {}
        for event in events:
            if event.side != "client":
                continue
            key = event.origin, event.client_id
            if event.event in PARTITION_EVENTS:
                self.by_key.setdefault(key, LoggingClient())
            if event.member_id is not None:
                members.setdefault(key, set()).add(event.member_id)
        self._members.update(*(ids for key, ids in members.items() if key in self.by_key))

    def reports(self, member_id: str | None) -> bool:
        """Whether the partitions of a member are known from its own log."""
        return member_id is not None and member_id in self._members

    def observe(self, event: LogEvent) -> LoggingClient | None:
        client = self.by_key.get((event.origin, event.client_id))
        if client is None:
            return None
        client.seen_at = max(client.seen_at, event.at)
        if event.instance_id is not None:
            client.instance_id = event.instance_id
        if event.member_id is not None and event.event in ("joined", "synced", "member_state"):
            client.member_id = event.member_id
            epoch = parse_count(event.details.get("epoch")) if event.event == "member_state" else event.generation
            client.generation = epoch or client.generation
        return client

    def reader_of(self, event: LogEvent, client: LoggingClient) -> Reader:
        return Reader(client.member_id, event.client_id, client.instance_id, (event.origin, event.client_id))

    def last_seen(self, reader: Reader) -> int:
        client = self.by_key.get(reader.log) if reader.log is not None else None
        # A consumer that was started again under the same name says nothing about the one before.
        return client.seen_at if client is not None and client.member_id == reader.member_id else 0
