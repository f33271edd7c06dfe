"""The meaning of each event, and docs/log-events.md, which lists the events with their message templates.

`python -m kafka_telemetry.formats.logs.event_vocabulary > docs/log-events.md` writes that page.
"""

from collections import defaultdict

from kafka_telemetry.formats.logs import broker_config
from kafka_telemetry.formats.logs.line_reasons import BROKER_REASONS, CLIENT_REASONS
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

MEANINGS = {
    "assigned_manually": "The application assigned partitions to a consumer itself, without a group protocol.",
    "assignment_delegated": "librdkafka passed an assignment or a revocation to the application's callback.",
    "assignment_finished": "The leader of a group computed the assignment of a generation.",
    "assignment_notified": "A member passed its new assignment to its assignor.",
    "assignment_received": "The coordinator received the leader's assignment: the sync phase of a generation ended.",
    "assignment_reconciling": "A KIP-848 or share member began to move to its new assignment.",
    "assignment_skipped": "A static leader rejoined, and the group continues with its current assignment.",
    "assignment_unlawful": "A cooperative assignor reassigned partitions that other members still own.",
    "assignment_updated": "A cooperative member received its assignment: the partitions to add and to revoke.",
    "auto_commit_failed": "An automatic commit of a consumer failed.",
    "broker_configured": "A broker printed its configuration as it started.",
    "callback_failed": "The coordinator could not answer a member's request to join or sync.",
    "close_timed_out": "A consumer was closed before the coordinator had answered all of its requests.",
    "commit_failed": "A commit by the application failed.",
    "conversion_refused": "A group could not be converted between the classic and the consumer protocol.",
    "coordinator_discovered": "A consumer found the broker that coordinates its group.",
    "coordinator_elected": "A broker became coordinator of a partition of the offsets topic.",
    "coordinator_lost": "A consumer lost the connection to its coordinator, or the broker is no longer the coordinator.",
    "coordinator_moved": "A broker was about to change a group and is no longer its coordinator.",
    "coordinator_not_found": "A consumer could not find the coordinator of its group.",
    "coordinator_requested": "A consumer requested the coordinator of its group.",
    "coordinator_resigned": "A broker is no longer coordinator of a partition of the offsets topic.",
    "coordinator_started": "The group coordinator of a broker has started.",
    "coordinator_stopped": "The group coordinator of a broker has stopped.",
    "dead_group_skipped": "A rebalance was skipped because its group is dead.",
    "elected_leader": "A member was elected leader and computes the assignment.",
    "empty_assignment_sent": "A member was sent an empty assignment because the leader did not assign it anything.",
    "empty_assignment_set": "The coordinator set empty assignments for members that the leader had left out.",
    "epoch_bumped": "The epoch of a KIP-848, share or streams group was increased: its rebalance began.",
    "generation_reset": "A consumer reset its generation, and in some cases its member id.",
    "group_converted": "A group was converted between the classic and the consumer protocol.",
    "group_dead": "A group was removed: its offsets expired or it was deleted.",
    "group_deleted": "An administrator deleted groups.",
    "group_emptied": "The last member left a group, which starts a generation without members.",
    "group_loaded": "A broker that became coordinator loaded a group from the offsets topic.",
    "group_state": "A librdkafka consumer changed its state.",
    "group_unloaded": "A broker that is no longer coordinator unloaded a group from memory.",
    "heartbeat_answered": "A librdkafka consumer received the response to a KIP-848 heartbeat.",
    "heartbeat_failed": "A heartbeat was rejected or failed.",
    "heartbeat_stopped": "The heartbeat loop of a sarama session stopped.",
    "instance_id_refused": "A static member was refused because another member still uses its instance id.",
    "internal_assign_failed": "librdkafka could not apply an assignment.",
    "join_failed": "A JoinGroup request failed.",
    "join_state": "A librdkafka consumer changed its join state.",
    "joined": "A member joined: for this member the join phase of a generation ended.",
    "joining": "A consumer sent a JoinGroup request. A new member sends two: the first one returns its member id.",
    "late_expiration": "A heartbeat expired after its group had been unloaded or deleted.",
    "leader_replaced": "The leader did not rejoin in time, and another member was elected.",
    "leave_failed": "A request to leave the group failed.",
    "leave_sent": "A consumer sent a request to leave its group.",
    "leaving": "A KIP-848 or share member releases its assignment before it leaves.",
    "left": "A consumer has left its group.",
    "listener_failed": "The application's rebalance listener threw an exception.",
    "load_failed": "A broker that became coordinator could not load a partition of the offsets topic.",
    "member_evicted": "The coordinator removed a KIP-848 member that did not revoke, join or sync in time.",
    "member_expired": "The coordinator removed a member whose session timed out.",
    "member_fatal": "A KIP-848 member stopped because of a fatal error.",
    "member_fenced": "A member was fenced: another member uses its instance id, or its epoch is out of date.",
    "member_id_assigned": "A new member received its member id and must rejoin with it.",
    "member_joined": "A member was added to its group.",
    "member_left": "A member left its group at its own request.",
    "member_loaded": "A broker that became coordinator loaded a member from the offsets topic.",
    "member_reconciled": "The current assignment of a member changed.",
    "member_state": "A KIP-848 or share member changed its state.",
    "member_unknown": "The coordinator does not know a KIP-848 member.",
    "members_not_rejoined": "The coordinator removed members that did not rejoin within the rebalance timeout.",
    "metadata_computed": "The coordinator computed the metadata of the subscribed topics.",
    "mixed_commits": "Both plain consumers and transactional producers commit offsets for a group.",
    "no_committed_offset": "A consumer found no committed offset for a partition assigned to it.",
    "nobody_rejoined": "No member rejoined in a rebalance.",
    "offset_reset": "The reset policy or a seek set the position of a partition.",
    "offsets_deleted": "An administrator deleted committed offsets of a group.",
    "offsets_expired": "The coordinator removed expired offsets. The line does not name their groups.",
    "offsets_unstable": "Committed offsets are not stable yet: their transaction is open, or they are not replicated.",
    "operation_failed": "The coordinator failed to execute a request or an operation of its own.",
    "partition_loaded": "A broker loaded a partition of the offsets topic and now coordinates its groups.",
    "partition_unloaded": "A broker unloaded a partition of the offsets topic.",
    "partitions_assigned": "Partitions were assigned to a member.",
    "partitions_given_up": "A member gives up all of its partitions because it is no longer part of the group.",
    "partitions_gone": "The coordinator removed offsets of deleted topics.",
    "partitions_lost": "A member lost partitions and could not commit before.",
    "partitions_revoked": "A member's partitions were revoked.",
    "partitions_revoking": "A KIP-848 member is about to revoke partitions.",
    "pending_member_expired": "A new member did not join in time with the member id that it had received.",
    "pending_member_left": "A new member left before it joined with the member id that it had received.",
    "persist_failed": "The coordinator could not write to the offsets topic.",
    "poll_timeout": "The application did not call poll() within max.poll.interval.ms, and the consumer leaves its group.",
    "poll_timeout_ended": "The application calls poll() again after max.poll.interval.ms had passed.",
    "position_out_of_range": "The position of a consumer is below the start or past the end of the log.",
    "position_set": "A consumer starts at the committed offset.",
    "positions_not_fetched": "A consumer could not fetch its committed offsets.",
    "preparing_rebalance": "A rebalance of a classic group began; `generation` is the generation that ends.",
    "reconciliation_failed": "A KIP-848 member could not move to its new assignment.",
    "reconciliation_interrupted": "A KIP-848 member stopped moving to an assignment that is no longer current.",
    "record_skipped": "A broker skipped a record of the offsets topic whose type it does not know.",
    "regex_failed": "The coordinator could not resolve the regular expression of a subscription.",
    "regex_refreshed": "The coordinator determined the topics that match the group's regular expressions.",
    "rejoin_requested": "A consumer will rejoin its group. Printed also right after it has left.",
    "request_failed": "A consumer could not process a response of its coordinator.",
    "session_began": "A franz-go consumer began a session with its partitions.",
    "session_released": "A sarama session ended.",
    "session_timed_out": "A librdkafka consumer received no response from the coordinator within its session timeout.",
    "share_fetch_failed": "A fetch request of a share consumer failed.",
    "share_state_failed": "The coordinator could not read or write the state of a share group.",
    "simple_group_created": "Offsets were committed for a group without members: by manual assignment or an administrator.",
    "sought": "The application set a position with a seek.",
    "stabilized": "The join phase of a generation ended: its members are known, its assignment is not yet.",
    "stale_sync_expiration": "A timeout of a sync phase fired after that phase had ended.",
    "static_member_away": "A static KIP-848 member left temporarily; it may return with its instance id.",
    "static_member_joined": "A static member was added to its group.",
    "static_member_replaced": "A static member rejoined under a new member id.",
    "static_rejoined_quietly": "A static member rejoined without a rebalance.",
    "streams_member_changed": "A member of a streams group changed.",
    "streams_topics_failed": "The topics of a streams group do not fit its topology.",
    "subscribed": "A consumer subscribed to topics.",
    "subscription_unreadable": "The coordinator could not parse the subscription of a group.",
    "subscription_updated": "A KIP-848 or share member changed its subscription.",
    "sync_failed": "A SyncGroup request failed.",
    "sync_timed_out": "The coordinator removed members that did not sync in time.",
    "synced": "A member received its assignment: for this member the sync phase of a generation ended.",
    "syncing": "A member sent a SyncGroup request to get its assignment.",
    "target_computed": "The coordinator computed the target assignment of a group epoch.",
    "target_failed": "The coordinator could not compute a target assignment.",
    "topic_unknown": "A topic that a consumer fetches is unknown, for instance because it was deleted.",
    "topics_not_assigned": "Subscribed topics are not assigned to any member.",
    "topics_not_subscribed": "Topics to which no member subscribes are assigned.",
    "transactional_commit_skipped": "A transactional commit was skipped because a later offset had been committed.",
    "truncation_detected": "A consumer found that the log was truncated below its position.",
    "unexpected_rejoin": "A member rejoined while its group was in a state that does not allow it.",
    "unsubscribed": "A consumer unsubscribed from its topics.",
}

TEMPLATES_BY_PROGRAM: dict[str, tuple[MessageTemplate, ...]] = {
    "broker": BROKER_TEMPLATES,
    "Java consumer": CLIENT_TEMPLATES,
    "librdkafka": LIBRDKAFKA,
    "kafka-python, aiokafka": KAFKA_PYTHON,
    "franz-go": FRANZ_GO,
    "sarama": SARAMA,
}

_OPENING = """# Log events

Each line that matches a message template becomes one event. A `{field}` of the template is captured: in the column of
that name if there is one, else in `details`. The templates are listed without the prefix of their coordinator or
consumer. Where a line also quotes the reason that a client gave, `reason` may follow the client instead of the template.

A line of a group coordinator, on the broker or in a consumer, that matches no template gets the kind `unknown` and is
counted as not understood, unless its level is DEBUG or TRACE. A printed `ConsumerConfig` gets the kind `config`, with
its settings; of a `KafkaConfig`, the settings that decide about groups are `details` of an event.

`python -m kafka_telemetry.formats.logs.event_vocabulary` writes this page; a test compares it with the templates.
"""

_IGNORED = """Known lines of a coordinator that are counted as ignored, like all lines of a consumer's network and metadata
classes."""


def vocabulary_page() -> str:
    return "\n".join([*_events(), *_templates(), *_reasons(), *_ignored()]) + "\n"


def _events() -> list[str]:
    programs_of: dict[str, list[str]] = defaultdict(list)
    programs_of[broker_config.EVENT].append("broker")
    for program, templates in TEMPLATES_BY_PROGRAM.items():
        for event in dict.fromkeys(template.event for template in templates if template.event):
            programs_of[event].append(program)
    return [
        _OPENING,
        *("## Events", "", "| event | what happened | logged by |", "| --- | --- | --- |"),
        *(
            f"| `{event}` | {meaning} | {', '.join(programs_of[event])} |"
            for event, meaning in sorted(MEANINGS.items())
        ),
    ]


def _templates() -> list[str]:
    out = []
    for program, templates in TEMPLATES_BY_PROGRAM.items():
        out += ["", f"## Message templates: {program}", "", "| event | reason | template |", "| --- | --- | --- |"]
        out += [
            f"| `{template.event}` | {template.reason or ''} | {_code(template.text)} |"
            for template in templates
            if template.event
        ]
    return out


def _reasons() -> list[str]:
    return [
        *("", "## Reasons of a rebalance that a broker prints", "", "| reason | template |", "| --- | --- |"),
        *(f"| {template.reason} | {_code(template.text)} |" for template in BROKER_REASONS),
        *("", "## Reasons that a client gives", "", "| reason | pattern |", "| --- | --- |"),
        *(f"| {reason} | {_code(pattern)} |" for pattern, reason in CLIENT_REASONS),
    ]


def _ignored() -> list[str]:
    return [
        *("", "## Deliberately ignored", "", _IGNORED, ""),
        *(
            f"* {program}: {_code(template.text) if template.text else 'an empty message'}"
            for program, templates in TEMPLATES_BY_PROGRAM.items()
            for template in templates
            if not template.event
        ),
    ]


def _code(text: str) -> str:
    """A bar would end a table's cell, and some templates contain backquotes."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text.replace('|', chr(92) + '|').rstrip()}{fence}"


if __name__ == "__main__":
    print(vocabulary_page(), end="")
