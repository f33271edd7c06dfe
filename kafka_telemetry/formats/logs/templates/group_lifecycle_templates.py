"""Message templates of a broker's coordinators about creating, loading and removing groups, and about their offsets."""

from kafka_telemetry.formats.logs.message_template import MessageTemplate

OFFSETS_LOG = "__consumer_offsets-{offsets_partition}"

LIFECYCLE = (
    MessageTemplate("group_dead", "Group {group_id} transitioned to Dead in generation {generation}"),
    MessageTemplate(
        "member_loaded",
        "Static member {member}.groupInstanceId of group {group_id} loaded with member id {member_id} at generation "
        "{generation}.",
    ),
    MessageTemplate("group_loaded", "Loading group metadata for {group_id} with generation {generation}"),
    MessageTemplate("group_loaded", "Loaded {group_kind} group {group_id} with {member_count} members."),
    MessageTemplate("group_unloaded", "Unloading group metadata for {group_id} with generation {generation}"),
    MessageTemplate("group_unloaded", "[GroupId={group_id}] Unloading group metadata for generation {generation}."),
    MessageTemplate("group_unloaded", "[GroupId={group_id}] Unloaded group metadata for group epoch {generation}."),
    MessageTemplate(
        "coordinator_elected",
        "Elected as the group coordinator for partition {offsets_partition} in epoch {coordinator_epoch}",
    ),
    MessageTemplate(
        "coordinator_resigned",
        "Resigned as the group coordinator for partition {offsets_partition} in epoch {coordinator_epoch}",
        field_patterns={"coordinator_epoch": ".*?"},
    ),
    MessageTemplate("coordinator_started", "Startup complete."),
    MessageTemplate("coordinator_stopped", "Shutdown complete."),
    MessageTemplate(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds for epoch "
        "{coordinator_epoch}, of which {scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    MessageTemplate(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds, of which "
        "{scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    MessageTemplate(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds.",
    ),
    MessageTemplate(
        "partition_loaded",
        f"Finished loading of metadata from {OFFSETS_LOG} with epoch {{coordinator_epoch}} in {{duration_ms}}ms where "
        "{scheduler_ms}ms was spent in the scheduler. Loaded {record_count} records which total to {byte_count} bytes.",
    ),
    MessageTemplate(
        "partition_unloaded",
        f"Finished unloading {OFFSETS_LOG} for coordinator epoch {{coordinator_epoch}}. "
        "Removed {offset_count} cached offsets and {group_count} cached groups.",
        field_patterns={"coordinator_epoch": ".*?"},
    ),
    MessageTemplate(
        "partition_unloaded",
        f"Finished unloading {OFFSETS_LOG}. Removed {{offset_count}} cached offsets and {{group_count}} cached groups.",
    ),
    MessageTemplate(
        "partition_unloaded",
        f"Finished unloading metadata for {OFFSETS_LOG} with epoch {{coordinator_epoch}}.",
        field_patterns={"coordinator_epoch": ".*?"},
    ),
    MessageTemplate("offsets_expired", "Removed {offset_count} expired offsets in {duration_ms} milliseconds."),
    MessageTemplate(
        "offsets_expired",
        "Generated {record_count} tombstone records while cleaning up group metadata in {duration_ms} milliseconds.",
    ),
    MessageTemplate(
        "partitions_gone",
        "Removed {offset_count} offsets associated with deleted partitions: {deleted_partitions}.",
    ),
    MessageTemplate(
        "partitions_gone",
        "Generated {record_count} tombstone records in {duration_ms} milliseconds while deleting offsets for "
        "partitions {deleted_partitions}.",
    ),
    MessageTemplate(
        "partitions_gone",
        "Generated {record_count} tombstone records in {duration_ms} milliseconds while deleting offsets for "
        "topics {deleted_topics}.",
    ),
    MessageTemplate(
        "group_deleted",
        "The following groups were deleted: {group_id}. A total of {offset_count} offsets were removed.",
        field_patterns={"group_id": "[^,]*"},
    ),
    MessageTemplate(
        "group_deleted",
        "The following groups were deleted: {deleted_groups}. A total of {offset_count} offsets were removed.",
    ),
    MessageTemplate(
        "offsets_deleted",
        "The following offsets of the group {group_id} were deleted: {deleted_partitions}. "
        "A total of {offset_count} offsets were removed.",
    ),
    MessageTemplate(
        "mixed_commits",
        "group: {group_id} with leader: {leader} has received offset commits from consumers as well as transactional "
        "producers. Mixing both types {advice}",
    ),
    MessageTemplate(
        "simple_group_created", "[GroupId {group_id}] Creating a simple consumer group via manual offset commit."
    ),
    MessageTemplate(
        "transactional_commit_skipped",
        "Skipped the materialization of transactional offset commit {commit} for producer id {producer_id} in group "
        "{group_id} with topic {topic}, partition {partition} since its record offset {offset} is smaller than the "
        "record offset {last_offset} of the last committed offset.",
    ),
    MessageTemplate("persist_failed", "Failed to persist metadata for group {group_id}: {error}"),
    MessageTemplate("persist_failed", "Failed to persist metadata for group {group_id}"),
    MessageTemplate("persist_failed", "Failed to write empty metadata for group {group_id}: {error}"),
    MessageTemplate(
        "persist_failed",
        "Appending metadata message for group {group_id} generation {generation} failed due to unexpected error: "
        "{error}",
    ),
    MessageTemplate(
        "persist_failed",
        "Appending metadata message for group {group_id} generation {generation} failed due to {error}, returning "
        "UNKNOWN error code to the client",
    ),
    MessageTemplate(
        "persist_failed",
        f"Failed to append {{record_count}} tombstones to {OFFSETS_LOG} for expired/deleted offsets and/or metadata for group "
        "{group_id}.",
    ),
    MessageTemplate("callback_failed", "Failed to invoke join callback for {member} due to {error}."),
    MessageTemplate("callback_failed", "Failed to invoke sync callback for {member} due to {error}."),
    MessageTemplate(
        "coordinator_moved",
        "BrokerId {broker_id} is no longer a coordinator for the group {group_id}. Proceeding cleanup for other alive "
        "groups",
    ),
    MessageTemplate(
        "coordinator_moved",
        f"Group {{group_id}} has moved away from {OFFSETS_LOG} after transaction marker was written but before the cache was "
        "updated. The cache on the new group owner will be updated instead.",
    ),
    MessageTemplate("load_failed", f"Error loading offsets from {OFFSETS_LOG}"),
    MessageTemplate(
        "load_failed", f"Attempted to load offsets and group metadata from {OFFSETS_LOG}, but found no log"
    ),
    MessageTemplate(
        "record_skipped",
        f"Unknown message key with version {{key_version}} while loading offsets and group metadata from {OFFSETS_LOG}. "
        "Ignoring it. It could be a left over from an aborted upgrade.",
    ),
    MessageTemplate(
        "subscription_unreadable",
        "Failed to parse Consumer Protocol {protocol_type}:{protocol} of group {group_id}. Consumer group coordinator "
        "is not aware of the subscribed topics.",
    ),
)
