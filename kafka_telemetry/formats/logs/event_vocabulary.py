"""What each event name means, and the page that lists them with the wordings they come from: docs/log-events.md.

`python -m kafka_telemetry.formats.logs.event_vocabulary > docs/log-events.md` writes the page again.
"""

from collections import defaultdict

from kafka_telemetry.formats.logs.line_reasons import BROKER_REASONS, CLIENT_REASONS
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

MEANINGS = {
    "assigned_manually": "A consumer was given its partitions by the application, outside any group protocol.",
    "assignment_delegated": "librdkafka handed an assignment or a revocation to the application.",
    "assignment_finished": "The group's leader computed the assignment of a generation.",
    "assignment_notified": "The assignor of a member was told its assignment.",
    "assignment_received": "The leader's assignment arrived: the sync phase of a generation ended.",
    "assignment_reconciling": "A KIP-848 or share member began to move to its new assignment.",
    "assignment_skipped": "A static leader came back and kept the assignment as it was.",
    "assignment_unlawful": "A cooperative assignor gave away partitions that others still own.",
    "assignment_updated": "A cooperative member learned what is added and what it must revoke.",
    "auto_commit_failed": "A commit that the consumer makes by itself failed.",
    "callback_failed": "The coordinator could not answer a member that joins or syncs.",
    "close_timed_out": "A consumer was closed before the coordinator had answered all of its requests.",
    "commit_failed": "A commit of the application failed.",
    "conversion_refused": "A group could not change between the classic and the consumer protocol.",
    "coordinator_discovered": "A consumer found the broker that coordinates its group.",
    "coordinator_elected": "A broker became coordinator of a partition of the offsets topic.",
    "coordinator_lost": "A consumer lost its coordinator.",
    "coordinator_moved": "A broker is no longer coordinator of a group that it was about to change.",
    "coordinator_not_found": "A consumer could not find out who coordinates its group.",
    "coordinator_requested": "A consumer asked who coordinates its group.",
    "coordinator_resigned": "A broker is no longer coordinator of a partition of the offsets topic.",
    "coordinator_started": "The group coordinator of a broker is up.",
    "coordinator_stopped": "The group coordinator of a broker is down.",
    "dead_group_skipped": "A rebalance was dropped since its group is dead.",
    "elected_leader": "A member was made leader and computes the assignment.",
    "empty_assignment_sent": "A member got an empty assignment, for want of one by the leader.",
    "empty_assignment_set": "Members that the leader left out were given an empty assignment.",
    "epoch_bumped": "A KIP-848, share or streams group got a new epoch: its rebalance began.",
    "generation_reset": "A consumer forgot its generation, and perhaps its member id.",
    "group_converted": "A group changed between the classic and the consumer protocol.",
    "group_dead": "A group was removed, its offsets expired or deleted.",
    "group_deleted": "Groups were deleted by an administrator.",
    "group_emptied": "A generation without members: all have gone.",
    "group_loaded": "A broker that became coordinator read a group back from the offsets topic.",
    "group_state": "librdkafka's group handle changed its state.",
    "group_unloaded": "A broker that is no longer coordinator dropped a group from memory.",
    "heartbeat_answered": "librdkafka got an answer to a KIP-848 heartbeat.",
    "heartbeat_failed": "A heartbeat was refused or failed.",
    "heartbeat_stopped": "sarama's heartbeat loop of a session ended.",
    "instance_id_refused": "A static member was refused: another still holds its instance id.",
    "internal_assign_failed": "librdkafka could not carry out an assignment.",
    "join_failed": "A request to join failed.",
    "join_state": "librdkafka's group handle changed its state of joining.",
    "joined": "A member joined: the join phase of a generation ended for it.",
    "joining": "A consumer asks to join. Twice for a first join, since the member id is handed out by the first.",
    "late_expiration": "A heartbeat expired after its group had been unloaded or deleted.",
    "leader_replaced": "The leader did not rejoin in time and another was elected.",
    "leave_failed": "A request to leave failed.",
    "leave_sent": "A consumer leaves its group.",
    "leaving": "A KIP-848 or share member gives its assignment back before it leaves.",
    "left": "A consumer has left its group.",
    "listener_failed": "The application's rebalance listener threw an exception.",
    "load_failed": "A broker that became coordinator could not read a partition of the offsets topic.",
    "member_evicted": "The coordinator removed a KIP-848 member that did not revoke, join or sync in time.",
    "member_expired": "The coordinator removed a member whose session ran out.",
    "member_fatal": "A KIP-848 member stopped for good.",
    "member_fenced": "A member was refused: another one has its instance id, or its epoch is too old.",
    "member_id_assigned": "A new member was given its id and is asked to join again with it.",
    "member_joined": "A member was added to its group.",
    "member_left": "A member left its group by its own request.",
    "member_loaded": "A broker that became coordinator read a member back from the offsets topic.",
    "member_reconciled": "A member's current assignment changed.",
    "member_state": "A KIP-848 or share member changed its state.",
    "member_unknown": "The coordinator does not know a KIP-848 member.",
    "members_not_rejoined": "The coordinator removed members that did not rejoin within the rebalance timeout.",
    "metadata_computed": "The coordinator computed what the subscribed topics look like.",
    "mixed_commits": "A group commits both by itself and by transactional producers.",
    "no_committed_offset": "A consumer found no position for a partition it was given.",
    "nobody_rejoined": "A rebalance ended without members.",
    "offset_reset": "A position was set by the reset policy or by a seek.",
    "offsets_deleted": "Offsets of a group were deleted by an administrator.",
    "offsets_expired": "The coordinator removed expired offsets, of which groups it does not say.",
    "offsets_unstable": "Positions wait for a transaction to end.",
    "operation_failed": "The coordinator could not carry out a request or a step of its own.",
    "partition_loaded": "A broker has read a partition of the offsets topic and coordinates its groups.",
    "partition_unloaded": "A broker has dropped what it held of a partition of the offsets topic.",
    "partitions_assigned": "A member was given partitions.",
    "partitions_given_up": "A member gives up all partitions, since it is no longer part of the group.",
    "partitions_gone": "Offsets of deleted topics were removed.",
    "partitions_lost": "A member lost partitions without a chance to commit.",
    "partitions_revoked": "A member gave partitions back.",
    "partitions_revoking": "A KIP-848 member is about to give partitions back.",
    "pending_member_expired": "A member that was given an id did not join with it in time.",
    "pending_member_left": "A member that was given an id left before it joined with it.",
    "persist_failed": "The coordinator could not write a group to the offsets topic.",
    "poll_timeout": "The application did not poll within max.poll.interval.ms, and the consumer leaves.",
    "poll_timeout_ended": "The application polls again after max.poll.interval.ms ran out.",
    "position_out_of_range": "A position is not in the log any more, or not yet.",
    "position_set": "A consumer begins at the committed position.",
    "positions_not_fetched": "A consumer was refused its committed positions.",
    "preparing_rebalance": "A rebalance of a classic group began; `generation` is the one that ends.",
    "reconciliation_failed": "A KIP-848 member could not take over its assignment.",
    "reconciliation_interrupted": "A KIP-848 member dropped a reconciliation that is no longer wanted.",
    "record_skipped": "A broker skipped a record of the offsets topic that it does not know.",
    "regex_failed": "The coordinator could not resolve a group's expression.",
    "regex_refreshed": "The coordinator looked which topics match the group's expressions.",
    "rejoin_requested": "A consumer will join again. One that has just left prints it too.",
    "request_failed": "A consumer could not make use of its coordinator's answer.",
    "session_began": "franz-go began a session with its partitions.",
    "session_released": "sarama ended a session.",
    "session_timed_out": "librdkafka heard nothing from the coordinator for the session timeout.",
    "share_fetch_failed": "A share member could not fetch.",
    "share_state_failed": "The coordinator could not read or write the state of a share group.",
    "simple_group_created": "A group without members commits: partitions assigned by hand, or an administrator.",
    "sought": "A position was set by the application.",
    "stabilized": "The join phase ended: the generation exists, its assignment does not yet.",
    "stale_sync_expiration": "A sync phase expired that was over already.",
    "static_member_away": "A static KIP-848 member went and may come back under its instance id.",
    "static_member_joined": "A static member was added to its group.",
    "static_member_replaced": "A static member came back under a new member id.",
    "static_rejoined_quietly": "A static member came back without a rebalance.",
    "streams_member_changed": "Something changed for a member of a streams group.",
    "streams_topics_failed": "The topics of a streams group are not as its topology needs them.",
    "subscribed": "A consumer subscribed.",
    "subscription_unreadable": "The coordinator does not know what a group subscribes to.",
    "subscription_updated": "A KIP-848 or share member changed its subscription.",
    "sync_failed": "A request to sync failed.",
    "sync_timed_out": "The coordinator removed members that did not sync in time.",
    "synced": "A member got its assignment: the sync phase of a generation ended for it.",
    "syncing": "A member asks for its assignment.",
    "target_computed": "The coordinator computed the assignment that an epoch aims at.",
    "target_failed": "The coordinator could not compute an assignment.",
    "topic_unknown": "A topic that is read is unknown: deleted, perhaps.",
    "topics_not_assigned": "Subscribed topics were assigned to nobody.",
    "topics_not_subscribed": "A member was given topics that it does not subscribe to.",
    "transactional_commit_skipped": "A transactional commit was older than what is committed.",
    "truncation_detected": "The log was cut behind a position.",
    "unexpected_rejoin": "A member rejoined in a state in which it should not.",
    "unsubscribed": "A consumer gave up its subscription.",
}

SPEAKERS: dict[str, tuple[MessageTemplate, ...]] = {
    "broker": BROKER_TEMPLATES,
    "Java consumer": CLIENT_TEMPLATES,
    "librdkafka": LIBRDKAFKA,
    "kafka-python, aiokafka": KAFKA_PYTHON,
    "franz-go": FRANZ_GO,
    "sarama": SARAMA,
}

_OPENING = """# Log events

Each line that is understood becomes one event. `{field}` is captured: the columns of the line where they have the name,
else `details`. Wordings are written without the prefix of their coordinator or consumer. In `reason`, what a client
gives as its reason stands above what the wording itself tells.

A line of a group coordinator, on the broker or in a consumer, that no wording knows is kept as `unknown` and counted;
lines of level DEBUG and TRACE that no wording knows are not. A printed `ConsumerConfig` is kept with its settings.

This page is written by `python -m kafka_telemetry.formats.logs.event_vocabulary`; a test holds it to the tables.
"""

_IGNORED = """Known lines of a coordinator that are counted as ignored; so is what the network and metadata classes of a
consumer print."""


def page() -> str:
    out = [_OPENING, "## Events", "", "| event | what happened | who says it |", "| --- | --- | --- |"]
    said_by: dict[str, list[str]] = defaultdict(list)
    for speaker, templates in SPEAKERS.items():
        for event in dict.fromkeys(template.event for template in templates if template.event):
            said_by[event].append(speaker)
    out += [f"| `{event}` | {meaning} | {', '.join(said_by[event])} |" for event, meaning in sorted(MEANINGS.items())]
    for speaker, templates in SPEAKERS.items():
        out += ["", f"## Wordings: {speaker}", "", "| event | reason | wording |", "| --- | --- | --- |"]
        out += [f"| `{one.event}` | {one.reason or ''} | {_code(one.text)} |" for one in templates if one.event]
    out += ["", "## Reasons of a rebalance that a broker prints", "", "| reason | wording |", "| --- | --- |"]
    out += [f"| {one.reason} | {_code(one.text)} |" for one in BROKER_REASONS]
    out += ["", "## Reasons that a client gives", "", "| reason | begins |", "| --- | --- |"]
    out += [f"| {reason} | {_code(pattern)} |" for pattern, reason in CLIENT_REASONS]
    out += [
        "",
        "## Deliberately ignored",
        "",
        _IGNORED,
        "",
    ]
    for speaker, templates in SPEAKERS.items():
        out += [
            f"* {speaker}: {_code(one.text) if one.text else 'an empty message'}" for one in templates if not one.event
        ]
    return "\n".join(out) + "\n"


def _code(wording: str) -> str:
    """In a table a bar ends the cell, and a wording has backquotes of its own."""
    fence = "``" if "`" in wording else "`"
    return f"{fence}{wording.replace('|', chr(92) + '|').rstrip()}{fence}"


if __name__ == "__main__":
    print(page(), end="")
