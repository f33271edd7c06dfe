"""Message templates of the Java coordinator (3.7 and later) about its own operation and about failures.

Includes the first templates of KIP-848 groups, as printed by 3.7.
"""

from kafka_telemetry.formats.logs.message_template import MessageTemplate, ignored_templates

_PARTITION = "__consumer_offsets-{offsets_partition}"
_OF_GROUP = "[GroupId {group_id}] "
_TIMER = "The write event {operation} for the timer {timer} failed due to {error}. "

RUNTIME = (
    MessageTemplate("persist_failed", f"Writing records to {_PARTITION} failed due to: {{error}}."),
    MessageTemplate(
        "persist_failed", f"Failed to write records to {_PARTITION} due to an unexpected error: {{error}}."
    ),
    MessageTemplate(
        "persist_failed",
        f"Failed to write a batch of {{record_count}} record(s) to {_PARTITION} because it is larger than the maximum batch "
        "size of {max_size} bytes. {advice}",
    ),
    MessageTemplate(
        "persist_failed", f"Failed to write the transaction marker to {_PARTITION} because it is too large {{advice}}"
    ),
    MessageTemplate(
        "persist_failed",
        f"Failed to write the transaction marker to {_PARTITION} due to an unexpected error: {{error}}.",
    ),
    MessageTemplate(
        "load_failed", f"Failed to load metadata from {_PARTITION} with epoch {{coordinator_epoch}} due to {{error}}."
    ),
    MessageTemplate("load_failed", f"Replaying record {{record}} to {_PARTITION} failed due to: {{error}}."),
    MessageTemplate("load_failed", f"Replaying records to {_PARTITION} failed due to: {{error}}."),
    MessageTemplate("load_failed", f"Cannot load coordinator {_PARTITION} in state {{state}}."),
    MessageTemplate(
        "load_failed",
        f"The state machine of the coordinator {_PARTITION} is out of sync with the underlying log. {{advice}}",
    ),
    MessageTemplate(
        "record_skipped",
        f"Unknown record type {{record_type}} while loading offsets and group metadata from {_PARTITION}. Ignoring it. It could "
        "be a left over from an aborted upgrade.",
    ),
    MessageTemplate("record_skipped", "Loaded group {group_id} with an unknown group type {group_kind}."),
    MessageTemplate(
        "partition_loaded",
        f"Finished loading of metadata from {_PARTITION} with epoch {{coordinator_epoch}} and LoadSummary={{summary}}.",
    ),
    MessageTemplate("operation_failed", "Execution of {operation} failed due to {error}."),
    MessageTemplate("operation_failed", "Completion of event {operation} failed due to {error}."),
    MessageTemplate("operation_failed", "Operation {operation} with {request} hit an unexpected exception: {error}."),
    *(
        MessageTemplate("operation_failed", f"{kind} request {{request}} hit an unexpected exception: {{error}}")
        for kind in ("JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "DescribeGroups", "ConsumerGroupDescribe")
    ),
    MessageTemplate("operation_failed", _TIMER + "Rescheduling it."),
    MessageTemplate("operation_failed", _TIMER + "Ignoring it."),
    MessageTemplate("operation_failed", "The write event for the task {timer} failed due to {error}. Ignoring it."),
    MessageTemplate("operation_failed", "Failed to run event {operation} due to: {error}."),
    MessageTemplate("operation_failed", "Failed to reject event {operation} due to: {error}."),
    MessageTemplate("operation_failed", "Exiting with exception."),
    MessageTemplate("operation_failed", "Draining threw exception."),
    MessageTemplate("operation_failed", f"Failed to unload coordinator for {_PARTITION} due to {{error}}."),
    MessageTemplate(
        "operation_failed",
        f"Failed to unload metadata for {_PARTITION} with epoch {{coordinator_epoch}} due to {{error}}.",
    ),
    MessageTemplate("operation_failed", f"Failed to unload metadata for {_PARTITION} due to {{error}}."),
    MessageTemplate(
        "operation_failed", "Could not delete offsets for deleted partitions {deleted_partitions} due to: {error}."
    ),
    MessageTemplate(
        "operation_failed", "Could not delete offsets for deleted topics {deleted_topics} due to: {error}."
    ),
    MessageTemplate("operation_failed", "Persister initialization failed"),
)

GROUPS = (
    MessageTemplate("dead_group_skipped", "Group {group_id} is dead, skipping rebalance stage."),
    MessageTemplate(
        "nobody_rejoined",
        "Group leader [memberId: {old_member_id}, groupInstanceId: {instance_id}] failed to join before the rebalance "
        "timeout and the group couldn't proceed to the next generation because no member joined.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "conversion_refused", "Cannot upgrade classic group {group_id} to {group_kind} group: {reason_text}."
    ),
    MessageTemplate(
        "conversion_refused",
        "Cannot upgrade the classic group {group_id} to {group_kind} group because {reason_text}.",
    ),
    MessageTemplate("conversion_refused", "Cannot downgrade the {old_group_kind} group {group_id}: {reason_text}."),
    MessageTemplate(
        "regex_failed", _OF_GROUP + "Couldn't parse regular expression '{expression}' due to `{error}`. Ignoring it."
    ),
    MessageTemplate("regex_failed", _OF_GROUP + "Couldn't update regular expression due to: {error}"),
    *(
        MessageTemplate(
            event, _OF_GROUP + f"Streams member {{member_id}} fenced from the group because {cause}", reason
        )
        for event, cause, reason in (
            ("member_expired", "the member session expired..", "session_timeout"),
            ("member_expired", "the member session expired.", "session_timeout"),
            (
                "member_evicted",
                "it failed to transition from epoch {epoch} within {rebalance_timeout_ms}ms.",
                "rebalance_timeout",
            ),
        )
    ),
    MessageTemplate("streams_member_changed", _OF_GROUP + "Member {member_id} updated its member metdata to {change}."),
    MessageTemplate(
        "streams_topics_failed", "Topic configuration failed for topology epoch {epoch} in {duration_ms}ms: {error}"
    ),
    MessageTemplate("streams_topics_failed", "Topic configuration failed for topology epoch {epoch}: {error}"),
    # 3.8 and 3.9 end both the cause and the line with a period.
    *(
        MessageTemplate(event, _OF_GROUP + f"Member {{member_id}} fenced from the group because {cause}..", reason)
        for event, cause, reason in (
            ("member_expired", "the member session expired", "session_timeout"),
            ("member_evicted", "the classic member failed to join within the rebalance timeout", "rebalance_timeout"),
            ("member_evicted", "the member failed to sync within timeout", "sync_timeout"),
        )
    ),
    # 3.7.
    MessageTemplate("member_joined", _OF_GROUP + "Member {member_id} joins the {group_kind} group.", "member_joined"),
    MessageTemplate(
        "static_member_joined",
        _OF_GROUP + "Static member {member_id} with instance id {instance_id} joins the {group_kind} group.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_replaced",
        _OF_GROUP + "Static member {member_id} with instance id {instance_id} re-joins the {group_kind} group.",
        "static_member_changed",
    ),
    MessageTemplate(
        "static_member_replaced",
        _OF_GROUP
        + "Static member with unknown member id and instance id {instance_id} re-joins the {group_kind} group. "
        "Created a new member {member_id} to replace the existing member {old_member_id}.",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_expired",
        _OF_GROUP + "Member {member_id} fenced from the group because its session expired.",
        "session_timeout",
    ),
    MessageTemplate(
        "member_evicted",
        _OF_GROUP + "Member {member_id} fenced from the group because it failed to revoke partitions within "
        "{rebalance_timeout_ms}ms.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "member_reconciled", _OF_GROUP + "Member {member_id} transitioned from {from_assignment} to {to_assignment}."
    ),
    MessageTemplate(
        "target_computed",
        _OF_GROUP + "Computed a new target assignment for epoch {generation} with '{assignor}' assignor: {target}.",
    ),
)

_SHARE = "share_state_failed"
SHARE_STATE = (
    MessageTemplate(_SHARE, "Unable to initialize share group state for {share_partitions} while altering share group offsets"),
    MessageTemplate(_SHARE, "Unable to initialize share group state partition metadata for {group_id}."),
    MessageTemplate(_SHARE, "Unable to initialize share group state {share_partitions}"),
    MessageTemplate(
        _SHARE, "Received error while calling initialize state for {group_id} on persister, errorCode: {error}."
    ),
    MessageTemplate(_SHARE, "Received error while calling initialize state for {group_id} on persister {error}."),
    MessageTemplate(_SHARE, "Received error while deleting share group {group_id} - {error}"),
    MessageTemplate(_SHARE, "Error deleting share group {group_id} due to error {error}"),
    MessageTemplate(_SHARE, "Unable to delete share group partition(s) - {group_id} using request {request}"),
    MessageTemplate(_SHARE, "Failed to retrieve deleteState request parameters from group coordinator for the group {group_id}"),
    MessageTemplate(_SHARE, "Failed to delete share group state due to: {error}"),
    MessageTemplate(
        _SHARE, "Failed to retrieve partition end offsets while calculating share partitions lag for share group - {group_id}"
    ),
    MessageTemplate(_SHARE, "Partition end offset fetch failed for topicPartition {topic_partition}"),
    MessageTemplate(_SHARE, "Failed to read summary of the share partition"),
    MessageTemplate(_SHARE, "Result is null for the read state summary"),
    MessageTemplate(_SHARE, "Result is null for the delete share group state"),
    MessageTemplate(_SHARE, "Unable to cleanup topic partitions from share group state metadata"),
    MessageTemplate(_SHARE, "Unable to cleanup state for the deleted topics {deleted_topics}"),
)  # fmt: skip

IGNORED = ignored_templates(
    "Closing coordinator runtime.",
    "Coordinator runtime closed.",
    "Coordinator runtime is already shutting down.",
    "Shutting down event processor.",
    "Event processor closed.",
    "Event processor is already shutting down.",
    "Group coordinator is already running.",
    "Group coordinator is already shutting down.",
    "Coordinator loader is already shutting down.",
    "Starting",
    "Shutdown completed",
    "Shutting down. Draining the remaining events.",
    "The coordinator {partition_name} is already active.",
    "The coordinator {partition_name} is already loading metadata.",
    "Ignored load completion from {rest}",
    "Ignoring load completion from {rest}",
    "Ignored loading metadata from {rest}",
    "Ignoring loading metadata from {rest}",
    "Ignored unloading metadata for {partition_name} in epoch {rest}",
    "Failed to enqueue write event {operation} for timer {timer} because the runtime is closed. Ignoring it.",
    "Loaded metadata from {partition_name} with buffer larger {rest}",
    "onUnloaded group with an unknown group type {rest}",
    "Removed group {group_id} with an unknown group type {rest}",
    "Generated {records} records in {duration} milliseconds while cleaning share group state for topics {rest}",
    "Existing deleting entries found in share group {rest}",
    "Some topics for share group id {rest}",
    "Initializing topic {topic} for share group {rest}",
    "Unknown new share group state: {rest}",
    "Unknown previous share group state: {rest}",
    "[GroupId {group_id}] Skipping delayed target assignment: {rest}",
    "[GroupId {group_id}] Cannot compute delayed target assignment: {rest}",
    "[GroupId {group_id}] Group not found during initial rebalance.",
    "[GroupId {group_id}] Clearing shutdown requested for the streams application.",
    "Valid topic configuration found{rest}",
)

RUNTIME_TEMPLATES = (*RUNTIME, *GROUPS, *SHARE_STATE, *IGNORED)
