"""What consumers that are not Java print of their group: librdkafka, kafka-python, aiokafka, franz-go, sarama."""

from kafka_telemetry.formats.logs.message_template import Template

_POLL = "Application maximum poll interval ({max_poll_interval_ms}ms) exceeded by {exceeded_ms}ms "
_GROUP = 'Group "{group_id}" '
LIBRDKAFKA = (
    Template(
        "poll_timeout",
        _POLL + "(adjust max.poll.interval.ms for long-running message processing): leaving group",
        "poll_interval",
    ),
    Template(
        "session_timed_out",
        "Consumer group session timed out (in join-state {join_state}) after {session_timeout_ms} ms without a "
        "successful response from the group coordinator (broker {broker_id}, last error was {error}): "
        "revoking assignment and rejoining group",
        "session_timeout",
    ),
    Template("offset_reset", "{topic} [{partition}]: offset reset ({position}) to {reset_to}: {why}"),
    Template(
        "internal_assign_failed", "{callback} internal {operation} of {partition_count} partition(s) failed {error}"
    ),
    Template("group_state", _GROUP + "changed state {from_state} -> {to_state} (join-state {join_state})"),
    Template("join_state", _GROUP + "changed join state {from_state} -> {to_state} (state {state})"),
    Template(
        "joined",
        "JoinGroup response: GenerationId {generation}, Protocol {protocol}, LeaderId {leader}, my MemberId "
        "{member_id}, member metadata count {member_count}: {error}",
    ),
    Template(
        "assignment_delegated",
        _GROUP + "delegating {operation} of {partition_count} partition(s) to application {callback}: {why}",
    ),
    Template(
        "heartbeat_answered",
        'ConsumerGroupHeartbeat response received for member id "{member_id}" with epoch {epoch}',
    ),
)

_FOR_GROUP = " for group {group_id}"
KAFKA_PYTHON = (
    Template("joining", "(Re-)joining group {group_id}"),
    Template("joined", "Successfully joined group {group_id} with generation {generation}"),
    Template(
        "joined",
        "Successfully joined group {group_id} <Generation {generation} (member_id: {member_id}, protocol: {protocol})>",
    ),
    Template("joined", "Successfully joined group {group_id} Generation{rendered}"),
    Template("elected_leader", "Elected group leader -- performing partition assignments using {assignor}"),
    Template("partitions_assigned", "Setting newly assigned partitions {partitions}" + _FOR_GROUP),
    Template("partitions_revoked", "Revoking previously assigned partitions {partitions}" + _FOR_GROUP),
    Template("heartbeat_failed", "Heartbeat failed for group {group_id} because it is rebalancing"),
    Template("heartbeat_failed", "Group {group_id} is rebalancing; rejoining."),
    Template("heartbeat_failed", "Heartbeat failed for group {group_id}: generation id is not  current."),
    Template(
        "heartbeat_failed", "Heartbeat failed: local member_id was not recognized; resetting and re-joining group"
    ),
    Template(
        "heartbeat_failed", "Heartbeat failed: local member_id was not recognized; this consumer needs to re-join"
    ),
    Template(
        "coordinator_lost",
        "Marking the coordinator dead (node {node_id}) for group {group_id}: {error}.",
        narrow={"node_id": ".*?"},
    ),
    Template("coordinator_discovered", "Discovered coordinator {coordinator} for group {group_id}"),
    Template("leave_sent", "Leaving consumer group ({group_id}).", "member_left"),
    Template("leave_sent", "Leaving consumer group {group_id} (member {member_id}).", "member_left"),
    Template("auto_commit_failed", "Auto offset commit failed for group {group_id}: {error}"),
    Template("commit_failed", "Offset commit failed: group membership out of date {advice}"),
    Template("commit_failed", "OffsetCommit failed for group {group_id} due to group error ({error}), will rejoin"),
    Template("commit_failed", "OffsetCommit failed for group {group_id}: {error}"),
    Template(
        "rejoin_requested",
        "Metadata for topic has changed from {from_metadata} to {to_metadata}.",
        "subscription_or_topics_changed",
    ),
    Template("left", "LeaveGroup request succeeded"),
)

_JOINED = "group: {group_id}, member_id: {member_id}, instance_id: {instance_id}, generation: {generation}"
FRANZ_GO = (
    Template("joining", "joining group; group: {group_id}"),
    Template("joined", "joined, balancing group; " + _JOINED + ", balance_protocol: {assignor}, leader: {leader}"),
    Template("joined", "joined; " + _JOINED + ", leader: {leader}"),
    Template("syncing", "syncing; group: {group_id}, protocol_type: {protocol_type}, protocol: {assignor}"),
    Template("synced", "synced; group: {group_id}, assigned: {assigned}"),
    Template("session_began", "new group session begun; group: {group_id}, added: {added}, lost: {lost}"),
    Template("heartbeat_failed", "heartbeat errored; group: {group_id}, err: {error}"),
    Template("leave_sent", "leaving group; group: {group_id}, member_id: {member_id}", "member_left"),
    Template("leave_sent", "leaving group; group: {group_id}", "member_left"),
    Template(
        "partitions_revoked",
        "eager consumer revoking prior assigned partitions; group: {group_id}, revoking: {partitions}",
    ),
)

SARAMA = (
    Template("heartbeat_stopped", "consumergroup/session/{member_id}/{generation} heartbeat loop stopped"),
    Template("session_released", "consumergroup/session/{member_id}/{generation} released"),
    Template("partitions_lost", "consumergroup/{group_id}: lost ownership of {partitions} due to {error}"),
    Template("coordinator_discovered", "client/coordinator coordinator for consumergroup {group_id} is {coordinator}"),
    Template(
        "coordinator_requested",
        "client/coordinator requesting coordinator for consumergroup {group_id} from {coordinator}",
    ),
)
