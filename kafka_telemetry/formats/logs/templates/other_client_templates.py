"""Message templates of consumers that are not Java: librdkafka, kafka-python, aiokafka, franz-go and sarama."""

from kafka_telemetry.formats.logs.message_template import MessageTemplate

_POLL = "Application maximum poll interval ({max_poll_interval_ms}ms) exceeded by {exceeded_ms}ms "
_GROUP = 'Group "{group_id}" '
LIBRDKAFKA = (
    MessageTemplate(
        "poll_timeout",
        _POLL + "(adjust max.poll.interval.ms for long-running message processing): leaving group",
        "poll_interval",
    ),
    MessageTemplate(
        "session_timed_out",
        "Consumer group session timed out (in join-state {join_state}) after {session_timeout_ms} ms without a "
        "successful response from the group coordinator (broker {broker_id}, last error was {error}): "
        "revoking assignment and rejoining group",
        "session_timeout",
    ),
    MessageTemplate("offset_reset", "{topic} [{partition}]: offset reset ({position}) to {reset_to}: {why}"),
    MessageTemplate(
        "internal_assign_failed", "{callback} internal {operation} of {partition_count} partition(s) failed {error}"
    ),
    MessageTemplate("group_state", _GROUP + "changed state {from_state} -> {to_state} (join-state {join_state})"),
    MessageTemplate("join_state", _GROUP + "changed join state {from_state} -> {to_state} (state {state})"),
    MessageTemplate(
        "joined",
        "JoinGroup response: GenerationId {generation}, Protocol {protocol}, LeaderId {leader}, my MemberId "
        "{member_id}, member metadata count {member_count}: {error}",
    ),
    MessageTemplate(
        "assignment_delegated",
        _GROUP + "delegating {operation} of {partition_count} partition(s) to application {callback}: {why}",
    ),
    MessageTemplate(
        "heartbeat_answered",
        'ConsumerGroupHeartbeat response received for member id "{member_id}" with epoch {epoch}',
    ),
)

_FOR_GROUP = " for group {group_id}"
KAFKA_PYTHON = (
    MessageTemplate("joining", "(Re-)joining group {group_id}"),
    MessageTemplate("joined", "Successfully joined group {group_id} with generation {generation}"),
    MessageTemplate(
        "joined",
        "Successfully joined group {group_id} <Generation {generation} (member_id: {member_id}, protocol: {protocol})>",
    ),
    MessageTemplate("joined", "Successfully joined group {group_id} Generation{rendered}"),
    MessageTemplate("elected_leader", "Elected group leader -- performing partition assignments using {assignor}"),
    MessageTemplate("partitions_assigned", "Setting newly assigned partitions {partitions}" + _FOR_GROUP),
    MessageTemplate("partitions_revoked", "Revoking previously assigned partitions {partitions}" + _FOR_GROUP),
    MessageTemplate("heartbeat_failed", "Heartbeat failed for group {group_id} because it is rebalancing"),
    MessageTemplate("heartbeat_failed", "Group {group_id} is rebalancing; rejoining."),
    MessageTemplate("heartbeat_failed", "Heartbeat failed for group {group_id}: generation id is not  current."),
    MessageTemplate(
        "heartbeat_failed", "Heartbeat failed: local member_id was not recognized; resetting and re-joining group"
    ),
    MessageTemplate(
        "heartbeat_failed", "Heartbeat failed: local member_id was not recognized; this consumer needs to re-join"
    ),
    MessageTemplate(
        "coordinator_lost",
        "Marking the coordinator dead (node {node_id}) for group {group_id}: {error}.",
        field_patterns={"node_id": ".*?"},
    ),
    MessageTemplate("coordinator_discovered", "Discovered coordinator {coordinator} for group {group_id}"),
    MessageTemplate("leave_sent", "Leaving consumer group ({group_id}).", "member_left"),
    MessageTemplate("leave_sent", "Leaving consumer group {group_id} (member {member_id}).", "member_left"),
    MessageTemplate("auto_commit_failed", "Auto offset commit failed for group {group_id}: {error}"),
    MessageTemplate("commit_failed", "Offset commit failed: group membership out of date {advice}"),
    MessageTemplate(
        "commit_failed", "OffsetCommit failed for group {group_id} due to group error ({error}), will rejoin"
    ),
    MessageTemplate("commit_failed", "OffsetCommit failed for group {group_id}: {error}"),
    MessageTemplate(
        "rejoin_requested",
        "Metadata for topic has changed from {from_metadata} to {to_metadata}.",
        "subscription_or_topics_changed",
    ),
    MessageTemplate("left", "LeaveGroup request succeeded"),
)

_JOINED = "group: {group_id}, member_id: {member_id}, instance_id: {instance_id}, generation: {generation}"
FRANZ_GO = (
    MessageTemplate("joining", "joining group; group: {group_id}"),
    MessageTemplate(
        "joined", "joined, balancing group; " + _JOINED + ", balance_protocol: {assignor}, leader: {leader}"
    ),
    MessageTemplate("joined", "joined; " + _JOINED + ", leader: {leader}"),
    MessageTemplate("syncing", "syncing; group: {group_id}, protocol_type: {protocol_type}, protocol: {assignor}"),
    MessageTemplate("synced", "synced; group: {group_id}, assigned: {assigned}"),
    MessageTemplate("session_began", "new group session begun; group: {group_id}, added: {added}, lost: {lost}"),
    MessageTemplate("heartbeat_failed", "heartbeat errored; group: {group_id}, err: {error}"),
    MessageTemplate("leave_sent", "leaving group; group: {group_id}, member_id: {member_id}", "member_left"),
    MessageTemplate("leave_sent", "leaving group; group: {group_id}", "member_left"),
    MessageTemplate(
        "partitions_revoked",
        "eager consumer revoking prior assigned partitions; group: {group_id}, revoking: {partitions}",
    ),
)

SARAMA = (
    MessageTemplate("heartbeat_stopped", "consumergroup/session/{member_id}/{generation} heartbeat loop stopped"),
    MessageTemplate("session_released", "consumergroup/session/{member_id}/{generation} released"),
    MessageTemplate("partitions_lost", "consumergroup/{group_id}: lost ownership of {partitions} due to {error}"),
    MessageTemplate(
        "coordinator_discovered", "client/coordinator coordinator for consumergroup {group_id} is {coordinator}"
    ),
    MessageTemplate(
        "coordinator_requested",
        "client/coordinator requesting coordinator for consumergroup {group_id} from {coordinator}",
    ),
)
