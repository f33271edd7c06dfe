"""What a broker's coordinators print of groups that are made, loaded, emptied and removed, and of requests they refuse."""

from kafka_telemetry.formats.logs.message_template import Template

OFFSETS_LOG = "__consumer_offsets-{offsets_partition}"

LIFECYCLE = (
    Template("group_dead", "Group {group_id} transitioned to Dead in generation {generation}"),
    Template(
        "member_loaded",
        "Static member {member}.groupInstanceId of group {group_id} loaded with member id {member_id} at generation "
        "{generation}.",
    ),
    Template("group_loaded", "Loading group metadata for {group_id} with generation {generation}"),
    Template("group_loaded", "Loaded {group_kind} group {group_id} with {member_count} members."),
    Template("group_unloaded", "Unloading group metadata for {group_id} with generation {generation}"),
    Template("group_unloaded", "[GroupId={group_id}] Unloading group metadata for generation {generation}."),
    Template("group_unloaded", "[GroupId={group_id}] Unloaded group metadata for group epoch {generation}."),
    Template(
        "coordinator_elected",
        "Elected as the group coordinator for partition {offsets_partition} in epoch {coordinator_epoch}",
    ),
    Template(
        "coordinator_resigned",
        "Resigned as the group coordinator for partition {offsets_partition} in epoch {coordinator_epoch}",
        narrow={"coordinator_epoch": ".*?"},
    ),
    Template("coordinator_started", "Startup complete."),
    Template("coordinator_stopped", "Shutdown complete."),
    Template(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds for epoch "
        "{coordinator_epoch}, of which {scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds, of which "
        "{scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {OFFSETS_LOG} in {{duration_ms}} milliseconds.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading of metadata from {OFFSETS_LOG} with epoch {{coordinator_epoch}} in {{duration_ms}}ms where "
        "{scheduler_ms}ms was spent in the scheduler. Loaded {record_count} records which total to {byte_count} bytes.",
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading {OFFSETS_LOG} for coordinator epoch {{coordinator_epoch}}. "
        "Removed {offset_count} cached offsets and {group_count} cached groups.",
        narrow={"coordinator_epoch": ".*?"},
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading {OFFSETS_LOG}. Removed {{offset_count}} cached offsets and {{group_count}} cached groups.",
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading metadata for {OFFSETS_LOG} with epoch {{coordinator_epoch}}.",
        narrow={"coordinator_epoch": ".*?"},
    ),
    Template("offsets_expired", "Removed {offset_count} expired offsets in {duration_ms} milliseconds."),
    Template(
        "offsets_expired",
        "Generated {record_count} tombstone records while cleaning up group metadata in {duration_ms} milliseconds.",
    ),
    Template(
        "partitions_gone",
        "Removed {offset_count} offsets associated with deleted partitions: {deleted_partitions}.",
    ),
    Template(
        "partitions_gone",
        "Generated {record_count} tombstone records in {duration_ms} milliseconds while deleting offsets for "
        "partitions {deleted_partitions}.",
    ),
    Template(
        "partitions_gone",
        "Generated {record_count} tombstone records in {duration_ms} milliseconds while deleting offsets for "
        "topics {deleted_topics}.",
    ),
    Template(
        "group_deleted",
        "The following groups were deleted: {group_id}. A total of {offset_count} offsets were removed.",
        narrow={"group_id": "[^,]*"},
    ),
    Template(
        "group_deleted",
        "The following groups were deleted: {deleted_groups}. A total of {offset_count} offsets were removed.",
    ),
    Template(
        "offsets_deleted",
        "The following offsets of the group {group_id} were deleted: {deleted_partitions}. "
        "A total of {offset_count} offsets were removed.",
    ),
    Template(
        "mixed_commits",
        "group: {group_id} with leader: {leader} has received offset commits from consumers as well as transactional "
        "producers. Mixing both types {advice}",
    ),
    Template("simple_group_created", "[GroupId {group_id}] Creating a simple consumer group via manual offset commit."),
    Template(
        "transactional_commit_skipped",
        "Skipped the materialization of transactional offset commit {commit} for producer id {producer_id} in group "
        "{group_id} with topic {topic}, partition {partition} since its record offset {offset} is smaller than the "
        "record offset {last_offset} of the last committed offset.",
    ),
    Template("persist_failed", "Failed to persist metadata for group {group_id}: {error}"),
    Template("persist_failed", "Failed to persist metadata for group {group_id}"),
    Template("persist_failed", "Failed to write empty metadata for group {group_id}: {error}"),
    Template(
        "persist_failed",
        "Appending metadata message for group {group_id} generation {generation} failed due to unexpected error: "
        "{error}",
    ),
    Template(
        "persist_failed",
        "Appending metadata message for group {group_id} generation {generation} failed due to {error}, returning "
        "UNKNOWN error code to the client",
    ),
    Template(
        "persist_failed",
        f"Failed to append {{record_count}} tombstones to {OFFSETS_LOG} for expired/deleted offsets and/or metadata for group "
        "{group_id}.",
    ),
    Template("callback_failed", "Failed to invoke join callback for {member} due to {error}."),
    Template("callback_failed", "Failed to invoke sync callback for {member} due to {error}."),
    Template(
        "coordinator_moved",
        "BrokerId {broker_id} is no longer a coordinator for the group {group_id}. Proceeding cleanup for other alive "
        "groups",
    ),
    Template(
        "coordinator_moved",
        f"Group {{group_id}} has moved away from {OFFSETS_LOG} after transaction marker was written but before the cache was "
        "updated. The cache on the new group owner will be updated instead.",
    ),
    Template("load_failed", f"Error loading offsets from {OFFSETS_LOG}"),
    Template("load_failed", f"Attempted to load offsets and group metadata from {OFFSETS_LOG}, but found no log"),
    Template(
        "record_skipped",
        f"Unknown message key with version {{key_version}} while loading offsets and group metadata from {OFFSETS_LOG}. "
        "Ignoring it. It could be a left over from an aborted upgrade.",
    ),
    Template(
        "subscription_unreadable",
        "Failed to parse Consumer Protocol {protocol_type}:{protocol} of group {group_id}. Consumer group coordinator "
        "is not aware of the subscribed topics.",
    ),
)
