"""What has been read of a group's next rebalance in the logs of its clients."""

from dataclasses import dataclass

from kafka_telemetry.groups.history.log_event import Cause, LogEvent, cause_in
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration

# Events that may be the first line of a rebalance.
REBALANCE_EVENTS = ("joining", "leave_sent", "leave_failed", "rejoin_requested", "heartbeat_failed")
# How the reason of a rejoin begins where another member began the rebalance.
_BEGUN_BY_ANOTHER = ("group is already rebalancing", "rebalance failed due to")


@dataclass
class ClientLog:
    # The last generation for which a member synced.
    last_generation: int | None = None
    # Whether a later line reports the next rebalance, and the cause that the first such line has.
    is_rebalancing: bool = False
    cause: Cause | None = None

    def observe(self, event: LogEvent, *, is_member: bool) -> None:
        """`is_member`: whether the client is in the group already."""
        if event.event == "leave_failed":
            if self.cause is not None and self.cause.client_id == event.client_id:
                # The request did not reach the coordinator, so the rebalance has another cause.
                self.cause = None
            return
        if self.is_rebalancing:
            if event.event == "joining" and not is_member:
                self._observe_second_join(event.client_id)
            return
        text = event.reason_text or ""
        if event.event == "joining" and not is_member:
            self._begin_rebalance(cause_in(event, "member_joined"))
        elif event.event == "leave_sent":
            self._begin_rebalance(cause_in(event, event.reason or "member_left"))
        elif event.event == "rejoin_requested" and event.reason is not None and is_member:
            self._begin_rebalance(cause_in(event, event.reason))
        elif event.event == "heartbeat_failed" or (
            event.event == "rejoin_requested" and text.startswith(_BEGUN_BY_ANOTHER)
        ):
            self._begin_rebalance(None)

    def _begin_rebalance(self, cause: Cause | None) -> None:
        self.is_rebalancing, self.cause = True, cause

    def _observe_second_join(self, client_id: str | None) -> None:
        """Only the broker knows which of two clients joined first."""
        cause = self.cause
        if cause is not None and cause.reason == "member_joined" and cause.client_id != client_id:
            self.cause = cause._replace(client_id=None)

    def end_rebalance(self, generation: LoggedGeneration, client_id: str | None) -> None:
        """A member synced. The cause belongs to its generation if no other lies between it and the last one."""
        if generation.generation == self.last_generation:
            cause = self.cause
            if cause is not None and cause.reason == "member_joined" and cause.client_id == client_id:
                # A static member returned to the generation that there was: its join began no rebalance.
                self.is_rebalancing, self.cause = False, None
            return
        is_next = (self.last_generation or 0) + 1 == generation.generation
        if is_next and not generation.by_epoch and self.cause is not None:
            generation.client_cause = self.cause
        self.last_generation = generation.generation
        self.is_rebalancing, self.cause = False, None
