"""What the logs of a group's clients say of its rebalances, where no broker's log does."""

import re
from dataclasses import dataclass

from kafka_telemetry.groups.history.broker_log import Logged
from kafka_telemetry.groups.history.observations import Event

_ASSIGNED = re.compile(r"(?:^\{|\), )(?P<member>.*?)=Assignment\(partitions=\[(?P<partitions>.*?)\]", re.DOTALL)
HEARD = ("joining", "leave_sent", "leave_failed", "rejoin_requested", "heartbeat_failed")
# What a client says of its group without naming a member.
OF_CLIENTS = (*HEARD, "assignment_finished", "joined", "synced", "member_fenced")
# What a member hears of a rebalance that somebody else began.
_HEARSAY = ("group is already rebalancing", "rebalance failed due to")


@dataclass
class ClientLog:
    """The first word that any of the clients said since the last generation that they told of."""

    last_generation: int | None = None
    word: dict[str, str | None] | None = None

    def hear(self, event: Event, *, is_member: bool) -> None:
        """`is_member`: whether the client is in the group already."""
        if event.event == "leave_failed":
            if self.word and self.word["trigger_client_id"] == event.client_id:
                # The coordinator did not hear it: what the rebalance began with, nobody here knows.
                self.word = {}
            return
        if self.word is not None:
            if event.event == "joining" and not is_member and self.word.get("trigger_client_id") != event.client_id:
                # Whose request came first, just the broker knows.
                self.word = {**self.word, **({"trigger_client_id": None} if self._is_joining() else {})}
            return
        text = event.reason_text or ""
        if event.event == "joining" and not is_member:
            self.word = _word(event, "member_joined")
        elif event.event == "leave_sent":
            self.word = _word(event, event.reason or "member_left")
        elif event.event == "rejoin_requested" and event.reason is not None and is_member:
            self.word = _word(event, event.reason)
        elif event.event == "heartbeat_failed" or (event.event == "rejoin_requested" and text.startswith(_HEARSAY)):
            self.word = {}

    def _is_joining(self) -> bool:
        return self.word is not None and self.word.get("reason") == "member_joined"

    def synced(self, logged: Logged, client_id: str | None) -> None:
        """A reason is told if nothing lies between this generation and the last one told."""
        if logged.generation == self.last_generation:
            if self._is_joining() and self.word is not None and self.word["trigger_client_id"] == client_id:
                # A static member took its place in the generation that there was: its joining began no other.
                self.word = None
            return
        is_next = (self.last_generation or 0) + 1 == logged.generation
        if is_next and not logged.by_epoch and "broker" not in logged.sides:
            for name, value in (self.word or {}).items():
                setattr(logged, name, value)
        self.last_generation, self.word = logged.generation, None


def _word(event: Event, reason: str) -> dict[str, str | None]:
    return {
        "reason": reason,
        "reason_text": event.reason_text,
        "trigger_member_id": event.member_id,
        "trigger_client_id": event.client_id,
    }


def assigned_by_leader(logged: Logged, assignment: str) -> None:
    """A leader prints whom it assigned what."""
    found = [(one["member"], one["partitions"]) for one in _ASSIGNED.finditer(assignment)]
    if found:
        logged.members = [member for member, _ in found]
        logged.partitions = sum(len(partitions.split(", ")) if partitions else 0 for _, partitions in found)
