"""Understood lines of the logs of brokers and clients."""

from typing import NamedTuple

from kafka_telemetry.formats.integer_ranges import parse_integer


class LogEvent(NamedTuple):
    """One line. Times are microseconds since 1970."""

    at: int
    # broker or client
    side: str
    event: str
    member_id: str | None = None
    client_id: str | None = None
    instance_id: str | None = None
    generation: int | None = None
    reason: str | None = None
    reason_text: str | None = None
    details: dict[str, str] = {}  # noqa: RUF012 - never changed
    # share: the line of a share consumer.
    group_kind: str | None = None
    # First folder below the date: the broker or application whose log it is.
    origin: str | None = None


class Cause(NamedTuple):
    """What a source reports as the cause of a rebalance."""

    reason: str | None
    reason_text: str | None = None
    member_id: str | None = None
    client_id: str | None = None


def parse_count(text: str | None) -> int | None:
    """A count or an epoch among the details of a line; null if it is none."""
    number = parse_integer(text, 32)
    return number if number is not None and number >= 0 else None


def cause_in(event: LogEvent, reason: str | None) -> Cause:
    return Cause(reason, event.reason_text, event.member_id, event.client_id)
