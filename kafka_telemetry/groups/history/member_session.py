"""One member's time in its group, from joining to its end."""

from dataclasses import dataclass
from typing import Any

EVICTED = ("session_timeout", "rebalance_timeout")
LEFT = ("left", "poll_interval")
# Of two ends that are reported of one session the first in this order counts: what the coordinator did before what the
# application asked for, and the more specific one before the other.
_PRECEDENCE = ("fenced", "rebalance_timeout", "session_timeout", "poll_interval", "replaced", "group_removed", "left")


@dataclass
class MemberSession:
    member_id: str
    joined_at: int
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    ended_at: int | None = None
    ended_by: str | None = None
    session_timeout_ms: int | None = None
    # In how many generations the member was, as each source reports it.
    generations_in_topic: int = 0
    generations_in_broker_log: int = 0
    generations_in_client_log: int = 0
    last_generation_in_client_log: int | None = None
    next_member_id: str | None = None
    # The log of its client may report the end first.
    ended_in_broker_log: bool = False

    def fill_identity(
        self,
        client_id: str | None,
        client_host: str | None = None,
        instance_id: str | None = None,
        session_timeout_ms: int | None = None,
    ) -> None:
        """What is known already stays."""
        self.client_id = self.client_id or client_id
        self.client_host = self.client_host or client_host
        self.instance_id = self.instance_id or instance_id
        self.session_timeout_ms = self.session_timeout_ms or session_timeout_ms

    def end(self, at: int, ended_by: str | None) -> None:
        if self.ended_at is None:
            self.ended_at, self.ended_by = at, ended_by
        elif ended_by is not None and self._is_overruled_by(ended_by):
            self.ended_by = ended_by
            if ended_by in EVICTED:
                # It was a member until then, whatever its client asked for before.
                self.ended_at = at

    def _is_overruled_by(self, ended_by: str) -> bool:
        return self.ended_by is None or _PRECEDENCE.index(ended_by) < _PRECEDENCE.index(self.ended_by)

    def count_client_generation(self, generation: int) -> None:
        if generation != self.last_generation_in_client_log:
            self.last_generation_in_client_log = generation
            self.generations_in_client_log += 1

    def row(self) -> dict[str, Any]:
        """Columns of silver.member_sessions."""
        generations = self.generations_in_topic or self.generations_in_broker_log or self.generations_in_client_log
        return {
            "member_id": self.member_id,
            "joined_at": self.joined_at,
            "client_id": self.client_id,
            "client_host": self.client_host,
            "instance_id": self.instance_id,
            "ended_at": self.ended_at,
            "ended_by": self.ended_by if self.ended_at is not None else "still_member",
            "generations": generations or None,
            "next_member_id": self.next_member_id,
        }
