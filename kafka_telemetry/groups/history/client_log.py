"""What the logs of a group's clients say of its rebalances, where no broker's log does."""

import re
from dataclasses import dataclass

from kafka_telemetry.groups.history.logged_generation import Logged
from kafka_telemetry.groups.history.observations import Cause, Event, cause_in

_ASSIGNED = re.compile(r"(?:^\{|\), )(?P<member>.*?)=Assignment\(partitions=\[(?P<partitions>.*?)\]", re.DOTALL)
HEARD = ("joining", "leave_sent", "leave_failed", "rejoin_requested", "heartbeat_failed")
# What a client says of its group without naming a member.
OF_CLIENTS = (*HEARD, "assignment_finished", "joined", "synced", "member_fenced")
# What a member hears of a rebalance that somebody else began.
_HEARSAY = ("group is already rebalancing", "rebalance failed due to")


@dataclass
class ClientLog:
    """The first line about a rebalance since the last generation that the clients' logs show."""

    last_generation: int | None = None
    # Whether there is such a line, and the cause that it gives; null: another member caused the rebalance.
    is_rebalancing: bool = False
    cause: Cause | None = None

    def hear(self, event: Event, *, is_member: bool) -> None:
        """`is_member`: whether the client is in the group already."""
        if event.event == "leave_failed":
            if self.cause is not None and self.cause.client_id == event.client_id:
                # The request did not reach the coordinator: the rebalance has another cause.
                self.cause = None
            return
        if self.is_rebalancing:
            if event.event == "joining" and not is_member and self._is_join_of_another_client(event.client_id):
                # Only the broker knows whose request came first.
                self.cause = self.cause and self.cause._replace(client_id=None)
            return
        text = event.reason_text or ""
        if event.event == "joining" and not is_member:
            self._begin_rebalance(cause_in(event, "member_joined"))
        elif event.event == "leave_sent":
            self._begin_rebalance(cause_in(event, event.reason or "member_left"))
        elif event.event == "rejoin_requested" and event.reason is not None and is_member:
            self._begin_rebalance(cause_in(event, event.reason))
        elif event.event == "heartbeat_failed" or (event.event == "rejoin_requested" and text.startswith(_HEARSAY)):
            self._begin_rebalance(None)

    def _begin_rebalance(self, cause: Cause | None) -> None:
        self.is_rebalancing, self.cause = True, cause

    def _end_rebalance(self) -> None:
        self.is_rebalancing, self.cause = False, None

    def _is_join(self) -> bool:
        return self.cause is not None and self.cause.reason == "member_joined"

    def _is_join_of_another_client(self, client_id: str | None) -> bool:
        return self._is_join() and self.cause is not None and self.cause.client_id != client_id

    def synced(self, logged: Logged, client_id: str | None) -> None:
        """The cause explains this generation if no other lies between it and the last one that a client's log shows."""
        if logged.generation == self.last_generation:
            if self._is_join() and self.cause is not None and self.cause.client_id == client_id:
                # A static member took its place in the generation that there was: its joining began no other.
                self._end_rebalance()
            return
        is_next = (self.last_generation or 0) + 1 == logged.generation
        if is_next and not logged.by_epoch and self.cause is not None:
            logged.client_cause = self.cause
        self.last_generation = logged.generation
        self._end_rebalance()


def assigned_by_leader(logged: Logged, assignment: str) -> None:
    """A leader prints whom it assigned what."""
    found = [(one["member"], one["partitions"]) for one in _ASSIGNED.finditer(assignment)]
    if found:
        logged.members = [member for member, _ in found]
        logged.partitions = sum(len(partitions.split(", ")) if partitions else 0 for _, partitions in found)
