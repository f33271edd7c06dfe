"""Generations and sessions that only the logs of clients report."""

from support.history_events import client, one_day, rebalances

from kafka_telemetry.groups.history.log_event import LogEvent

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"


def test_clients_log_the_epochs_that_their_members_reached() -> None:
    def state(at: float, epoch: int, before: str, after: str) -> LogEvent:
        details = {"epoch": str(epoch), "from_state": before, "to_state": after}
        return client(at, "member_state", "a", client_id="app", details=details)

    day = one_day(
        *(state(1, 0, "UNSUBSCRIBED", "JOINING"), state(2, 1, "JOINING", "RECONCILING")),
        *(state(3, 2, "STABLE", "RECONCILING"), state(4, 4, "STABLE", "RECONCILING")),
        *(state(9, -1, "PREPARE_LEAVING", "LEAVING"), state(9, -1, "LEAVING", "UNSUBSCRIBED")),
    )
    assert rebalances(day, "generation", "group_type", "told_at", "unobserved_before", "evidence") == [
        (2, "consumer", 3_000_000, 0, ["client_log"]),
        (4, "consumer", 4_000_000, 1, ["client_log"]),
    ]
    assert [(row["joined_at"], row["ended_at"], row["ended_by"]) for row in day.sessions] == [
        (2_000_000, 9_000_000, "left")
    ]


def test_the_log_of_the_leader_counts_members_and_assigned_partitions() -> None:
    one, two = f"one [eu], b-{UUID}", f"two-{UUID}"
    assignment = f"{{{one}=Assignment(partitions=[t-0, t-1]), {two}=Assignment(partitions=[], userDataSize=4)}}"
    day = one_day(
        client(3, "joined", one, generation=1),
        client(3, "assignment_finished", generation=1, details={"assignment": assignment}),
        client(4, "synced", one, generation=1),
    )
    assert rebalances(day, "members_after", "members_joined", "partitions_assigned") == [(2, 2, 2)]


def syncs(at: float, generation: int, member: str = "a") -> list[LogEvent]:
    named = {"generation": generation, "client_id": "app"}
    return [client(at, "joined", member, **named), client(at + 0.1, "synced", member, **named)]


def test_the_first_line_of_clients_since_the_last_generation_has_the_reason() -> None:
    begun_by_another = client(8, "rejoin_requested", client_id="app", reason_text="group is already rebalancing")
    day = one_day(
        *(client(1, "joining", client_id="app"), syncs(2, 1)),
        *(client(5, "rejoin_requested", client_id="app", reason="partitions_revoked"), syncs(6, 2)),
        *(begun_by_another, client(8.1, "joining", client_id="new"), syncs(9, 3)),
        *(client(20, "joining", client_id="other"), syncs(21, 7)),
    )
    assert rebalances(day, "generation", "reason") == [
        (1, "member_joined"), (2, "partitions_revoked"), (3, "unknown"), (7, "unknown"),
    ]  # fmt: skip


def test_a_leave_request_that_failed_is_no_reason() -> None:
    leaves = client(5, "leave_sent", "a", client_id="app", reason="member_left")
    sent = one_day(syncs(2, 1), leaves, syncs(6, 2, "b"))
    assert rebalances(sent, "reason")[1] == ("member_left",)
    failed = one_day(syncs(2, 1), leaves, client(5.1, "leave_failed", client_id="app"), syncs(6, 2, "b"))
    assert rebalances(failed, "reason")[1] == ("unknown",)


def test_a_static_member_that_returns_to_its_generation_began_no_rebalance() -> None:
    day = one_day(
        *(client(1, "joining", client_id="app"), syncs(2, 1)),
        *(client(5, "joining", client_id="back"), client(6, "synced", "back-1", client_id="back", generation=1)),
        *(client(20, "heartbeat_failed", client_id="back"), syncs(21, 2)),
    )
    assert rebalances(day, "generation", "reason") == [(1, "member_joined"), (2, "unknown")]
