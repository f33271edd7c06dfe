"""The reason that a line of a broker or a client gives, as one of the project's reasons."""

import pytest
from support.recorded_logs import read_log

M = "app-1-6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
ADDING = f"Adding new member {M} with group instance id None"
UPDATING = f"Updating metadata for member {M} during Stable"
LEADER = f"Leader {M} re-joining group during Stable"
REMOVING = f"Removing member {M} on LeaveGroup"

BROKER_TEXTS = [
    (ADDING, "member_joined"),
    (f"{ADDING}; client reason: need to re-join with the given member-id: {M}", "member_joined"),
    (f"{ADDING}; client reason: not provided", "member_joined"),
    (f"{ADDING}; client reason: ", "member_joined"),
    (f"{ADDING}; client reason: group is already rebalancing", "member_joined"),
    (f"{ADDING}; client reason: consumer pro-actively leaving the group", "member_joined"),
    (f"Member {M} joining group during Stable; client reason: x", "member_joined"),
    (f"Member {M} is joining group during Empty; client reason: x", "member_joined"),
    (UPDATING, "subscription_or_topics_changed"),
    (f"{UPDATING}; client reason: subscription has changed", "subscription_or_topics_changed"),
    (f"{UPDATING}; client reason: need to revoke partitions and re-join", "partitions_revoked"),
    (f"{UPDATING}; client reason: rebalance enforced by user", "enforced"),
    (f"{LEADER}; client reason: cached metadata has changed", "subscription_or_topics_changed"),
    (f"{LEADER}; client reason: need to revoke partitions and re-join", "partitions_revoked"),
    (f"{LEADER}; client reason: rebalance enforced by user", "enforced"),
    (f"{LEADER}; client reason: rebalance failed due to CoordinatorLoadInProgressException", "leader_rejoined"),
    (f"leader {M} re-joining group during Stable", "leader_rejoined"),
    # An application may give a reason for enforcing a rebalance. The partitions that a member owns are part of its metadata too.
    (f"{LEADER}; client reason: nightly re-balance (generation 9), see the runbook", "enforced"),
    (f'{UPDATING}; client reason: operator: "now"', "enforced"),
    (
        f"{UPDATING}; client reason: encountered UNKNOWN_MEMBER_ID from JOIN_GROUP response",
        "subscription_or_topics_changed",
    ),
    (f"{UPDATING}; client reason: not provided", "subscription_or_topics_changed"),
    ("Downgrade group a [1] from consumer to classic.", "unknown"),
    (f"Updating metadata for static member {M} with instance id Some(pod-1); client reason: ", "static_member_changed"),
    (
        f"Group's selectedProtocol will change because static member {M} with instance id pod-1 joined with change of "
        "protocol; client reason: not provided",
        "static_member_changed",
    ),
    (f"{REMOVING}; client reason: the consumer is being closed", "member_left"),
    (f"{REMOVING}; client reason: consumer poll timeout has expired.", "poll_interval"),
    (f"removing member {M} on LeaveGroup", "member_left"),
    (f"explicit `LeaveGroup` request for ({M}) members.", "member_left"),
    (f"explicit `LeaveGroup` request for ({M}, {M}) members.", "member_left"),
    ("explicit `LeaveGroup` request for () members.", "member_left"),
    (f"removing member {M} on heartbeat expiration", "session_timeout"),
    (f"removing member {M} on heartbeat expiration.", "session_timeout"),
    (f"Removing Set({M}) on pending sync request expiration", "sync_timeout"),
    (f"Removing [{M}] on pending sync request expiration.", "sync_timeout"),
    (f"Error NOT_COORDINATOR when storing group assignment during SyncGroup (member: {M})", "unknown"),
    (f"Error NOT_COORDINATOR when storing group assignmentduring SyncGroup (member: {M}).", "unknown"),
    ("Freshly-loaded group is over capacity (GroupConfig(10,20,3)). Rebalancing in order to", "unknown"),
    ("Freshly-loaded group orders (size 5) is over capacity 3. Rebalancing in order to", "unknown"),
    ("Downgrade group orders from consumer to classic for member leaving.", "member_left"),
    (
        "Downgrade group orders from consumer to classic for static member replacement with different subscription.",
        "static_member_changed",
    ),
    ("a reason that only a later release gives", "unknown"),
]


@pytest.mark.parametrize(("text", "reason"), BROKER_TEXTS)
def test_the_line_of_a_rebalance_has_the_reason_that_it_quotes(text: str, reason: str) -> None:
    line = "Preparing to rebalance group orders in state PreparingRebalance with old generation 41 "
    java = f"[2026-11-18 10:00:00,120] INFO {line}(reason: {text}). (o.a.k.c.g.GroupMetadataManager)\n"
    scala = f"[2026-11-18 10:00:00,120] INFO {line}(__consumer_offsets-3) (reason: {text}) (k.c.g.GroupCoordinator)\n"
    rows, _ = read_log(java + scala)
    assert [(row["reason"], row["reason_text"], row["generation"]) for row in rows] == [(reason, text, 41)] * 2
    named = text.split("; client reason")[0].count(M) == 1 and "[" not in text and "Set(" not in text
    assert {row["member_id"] for row in rows} == {M if named else None}


CLIENT_TEXTS = [
    ("Request joining group due to: group is already rebalancing", None),
    ("Request joining group due to: consumer pro-actively leaving the group", None),
    (f"Request joining group due to: need to re-join with the given member-id: {M}", None),
    (
        "Request joining group due to: cached metadata has changed from (version1: {}) at the beginning",
        "subscription_or_topics_changed",
    ),
    ("Request joining group due to: subscription has changed from [a] at the", "subscription_or_topics_changed"),
    ("Request joining group due to: need to revoke partitions [a-0] as indicated by", "partitions_revoked"),
    ("Request joining group due to: rebalance enforced by user", "enforced"),
    (
        "Requesting to re-join the group and trigger rebalance since the assignment metadata has changed from x to y",
        "subscription_or_topics_changed",
    ),
    ("Need to revoke partitions [a-0] and re-join the group", "partitions_revoked"),
    (
        f"Member {M} sending LeaveGroup request to coordinator h:1 (id: 1 rack: null) due to the consumer is being "
        "closed",
        "member_left",
    ),
    (
        f"Member {M} sending LeaveGroup request to coordinator h:1 (id: 1 rack: null) due to the consumer unsubscribed "
        "from all topics",
        "member_left",
    ),
    (
        f"Member {M} sending LeaveGroup request to coordinator h:1 (id: 1 rack: null) due to consumer poll timeout has "
        "expired. This means the time between subsequent calls to poll() was longer than",
        "poll_interval",
    ),
    ("Resetting generation and member id due to: consumer pro-actively leaving the group", "member_left"),
    ("Resetting generation and member id due to: encountered UNKNOWN_MEMBER_ID from HEARTBEAT response", None),
    (
        "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the",
        "poll_interval",
    ),
]


@pytest.mark.parametrize(("text", "reason"), CLIENT_TEXTS)
def test_the_line_of_a_client_has_the_reason_that_it_quotes(text: str, reason: str | None) -> None:
    line = f"2026-11-18 10:00:00,120 INFO  [main] o.a.k.ConsumerCoordinator - [Consumer clientId=a, groupId=g] {text}\n"
    (row,), _ = read_log(line)
    assert (row["kind"], row["reason"]) == ("event", reason)


def test_a_broker_logs_a_leave_for_the_poll_interval_as_such() -> None:
    leave = "[Group orders] Member {} has left group through explicit `LeaveGroup` request; client reason: {}"
    texts = (leave.format(M, "consumer poll timeout has expired."), leave.format(M, "the consumer is being closed"))
    rows, _ = read_log("".join(f"[2026-11-18 10:00:00,120] INFO {one} (a.GroupMetadataManager)\n" for one in texts))
    assert [row["reason"] for row in rows] == ["poll_interval", "member_left"]
