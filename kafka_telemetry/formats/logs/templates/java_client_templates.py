"""Message templates of a Java consumer (2.4 to 4.x) about its group, behind `[Consumer clientId=…, groupId=…] `."""

from kafka_telemetry.formats.logs.message_template import MessageTemplate, ignored_templates
from kafka_telemetry.formats.logs.templates.membership_templates import HEARTBEATS, MEMBERSHIP_TEMPLATES

_GENERATION = "Generation{generationId={generation}, memberId='{member_id}', protocol='{protocol}'}"
_SENT = " Sent generation was " + _GENERATION

COORDINATOR = (
    MessageTemplate(
        "coordinator_discovered",
        "Discovered group coordinator Coordinator(key='{key}', nodeId={node_id}, host='{host}', port={port}, "
        "errorCode={error_code}, errorMessage='{error}')",
    ),
    MessageTemplate("coordinator_discovered", "Discovered group coordinator {coordinator}"),
    *(
        MessageTemplate(
            "coordinator_lost",
            f"Group coordinator {{coordinator}} is unavailable or invalid due to cause: {{cause}}.{gap}isDisconnected: "
            "{disconnected}. Rediscovery will be attempted.",
        )
        for gap in (" ", "")
    ),
    MessageTemplate(
        "coordinator_lost",
        "Group coordinator {coordinator} is unavailable or invalid due to cause: {cause}. "
        "Rediscovery will be attempted.",
    ),
    MessageTemplate(
        "coordinator_lost", "Group coordinator {coordinator} is unavailable or invalid, will attempt rediscovery"
    ),
    MessageTemplate("coordinator_lost", "Requesting disconnect from last known coordinator {coordinator}"),
    MessageTemplate("coordinator_not_found", "Group coordinator lookup failed: {error}"),
    MessageTemplate("coordinator_not_found", "FindCoordinator request hit fatal exception"),
    MessageTemplate(
        "coordinator_lost", "Consumer has been disconnected from the group coordinator for {disconnected_ms}ms"
    ),
)

_JOIN_FAILED, _SYNC_FAILED = "JoinGroup failed: ", "SyncGroup failed: "
_ATTEMPT = "Attempt to join group "
_UNSUPPORTED = "due to unsupported version error. Please unset field group.instance.id and retry"
_CLEARED = "Generation data was cleared by heartbeat thread"
_BY_ANOTHER = "failed because the group instance id {instance_id} has been fenced by another instance"
JOINING = (
    MessageTemplate("joining", "(Re-)joining group"),
    MessageTemplate("rejoin_requested", "Request joining group due to: {reason_text}"),
    MessageTemplate(
        "rejoin_requested",
        "Requesting to re-join the group and trigger rebalance since {reason_text}",
    ),
    MessageTemplate(
        "rejoin_requested", "Need to revoke partitions {revoked} and re-join the group", "partitions_revoked"
    ),
    MessageTemplate("joined", "Successfully joined group with generation " + _GENERATION),
    MessageTemplate("joined", "Successfully joined group with generation {generation}"),
    MessageTemplate("join_failed", _JOIN_FAILED + "Coordinator {coordinator} is loading the group."),
    MessageTemplate(
        "member_fenced",
        _JOIN_FAILED + "The group instance id {instance_id} has been fenced by another instance." + _SENT,
        "static_member_changed",
    ),
    MessageTemplate("join_failed", _JOIN_FAILED + "{error} Need to re-join the group." + _SENT),
    MessageTemplate("join_failed", _JOIN_FAILED + "{error} Marking coordinator unknown." + _SENT),
    MessageTemplate(
        "join_failed",
        "JoinGroup failed due to non-fatal error: {error}, which could indicate a replication timeout on the broker. "
        "Will retry.",
    ),
    MessageTemplate("join_failed", "JoinGroup failed due to fatal error: {error}"),
    MessageTemplate("join_failed", "Rebalance failed."),
    MessageTemplate("join_failed", f"JoinGroup failed {_UNSUPPORTED} to see if the problem resolves"),
    MessageTemplate(
        "join_failed", _JOIN_FAILED + "Inconsistent Protocol Type, received {received} but expected {expected}"
    ),
    # Up to 2.6.
    MessageTemplate(
        "join_failed",
        "JoinGroup failed due to inconsistent Protocol Type, received {received} but expected {expected}",
    ),
    MessageTemplate("join_failed", _ATTEMPT + "failed due to fatal error: {error}"),
    MessageTemplate("join_failed", _ATTEMPT + "failed due to unexpected error: {error}"),
    MessageTemplate("join_failed", f"{_ATTEMPT}failed {_UNSUPPORTED} to see if the problem resolves"),
    MessageTemplate("join_failed", f"{_ATTEMPT}failed {_UNSUPPORTED}to see if the problem resolves"),
    MessageTemplate("member_fenced", f"{_ATTEMPT}with generation {_GENERATION} {_BY_ANOTHER}", "static_member_changed"),
    MessageTemplate("member_fenced", f"SyncGroup with {_GENERATION} {_BY_ANOTHER}", "static_member_changed"),
    MessageTemplate(
        "member_fenced", "Received fatal exception: group.instance.id gets fenced", "static_member_changed"
    ),
    MessageTemplate("sync_failed", f"SyncGroup with {_GENERATION} failed: {{error}}, would request re-join"),
    MessageTemplate(
        "sync_failed", "SyncGroup failed due to inconsistent {what}, received {received} but expected {expected}"
    ),
    MessageTemplate("join_failed", "JoinGroup failed due to unexpected error: {error}"),
    MessageTemplate("join_failed", "Join group failed with {error}"),
    MessageTemplate("assignment_finished", "Finished assignment for group at generation {generation}: {assignment}"),
    MessageTemplate("assignment_finished", "Finished assignment for group: {assignment}"),
    MessageTemplate("assignment_finished", "Final assignment of partitions to consumers:  {assignment}"),
    MessageTemplate(
        "assignment_skipped",
        "Skipped assignment for returning static leader at generation {generation}. "
        "The static leader will continue with its existing assignment.",
    ),
    MessageTemplate("synced", "Successfully synced group in generation " + _GENERATION),
    MessageTemplate(
        "sync_failed", _SYNC_FAILED + "The group began another rebalance. Need to re-join the group." + _SENT
    ),
    MessageTemplate(
        "member_fenced",
        _SYNC_FAILED + "The group instance id {instance_id} has been fenced by another instance." + _SENT,
        "static_member_changed",
    ),
    MessageTemplate("sync_failed", _SYNC_FAILED + "{error} Need to re-join the group." + _SENT),
    MessageTemplate("sync_failed", _SYNC_FAILED + "{error} Marking coordinator unknown." + _SENT),
    MessageTemplate("sync_failed", _SYNC_FAILED + "{error}"),
    MessageTemplate(
        "rejoin_requested",
        "We received an assignment {assigned} that doesn't match our current subscription {subscribed}; it is likely "
        "that the subscription has changed since we joined the group. Will try re-join the group with current "
        "subscription",
        "subscription_or_topics_changed",
    ),
    *(
        MessageTemplate("generation_reset", f"{_CLEARED} {when}, marking this rebalance as failed and retry")
        for when in (
            "as {cleared_to} and state is now {state} before received SyncGroup response",
            "to {cleared_to} and state is now {state} before receiving SyncGroup response",
            "to {cleared_to} and state is now {state} before the rebalance callback is triggered",
        )
    ),
    MessageTemplate("generation_reset", _CLEARED + ". Initiating rejoin."),
    MessageTemplate("generation_reset", _CLEARED + ". Rejoin failed."),
)

_OWNERSHIP = (
    "  Assigned partitions:  {assigned}  Current owned partitions:  {owned}"
    "  Added partitions (assigned - owned):  {added}  Revoked partitions (owned - assigned):  {revoked}"
)
_GIVE_UP = "Giving away all assigned partitions as lost since generation"
ASSIGNMENT = (
    MessageTemplate(
        "assignment_notified",
        "Notifying assignor about the new Assignment(partitions=[{partitions}], userDataSize={user_data_size})",
    ),
    MessageTemplate("assignment_notified", "Notifying assignor about the new Assignment(partitions=[{partitions}])"),
    MessageTemplate("partitions_assigned", "Adding newly assigned partitions: {partitions}"),
    MessageTemplate("partitions_assigned", "Setting newly assigned partitions: {partitions}"),
    MessageTemplate("partitions_assigned", "Setting newly assigned partitions {partitions}"),
    MessageTemplate("partitions_revoked", "Revoke previously assigned partitions {partitions}"),
    MessageTemplate("partitions_revoking", "Revoking previously assigned partitions {partitions}"),
    MessageTemplate("partitions_lost", "Lost previously assigned partitions {partitions}"),
    MessageTemplate(
        "partitions_given_up",
        _GIVE_UP + " has been reset,indicating that consumer is no longer part of the group",
    ),
    MessageTemplate(
        "partitions_given_up",
        _GIVE_UP + "/memberID has been reset,indicating that consumer is in old state or no longer part of the group",
    ),
    MessageTemplate("assignment_updated", "Updating assignment with" + _OWNERSHIP),
    # Up to 2.5.
    MessageTemplate(
        "assignment_updated",
        "Updating assignment with  now assigned partitions: {assigned}  compare with previously owned partitions: "
        "{owned}  newly added partitions: {added}  revoked partitions: {revoked}",
    ),
    MessageTemplate(
        "assignment_reconciling",
        "Reconciling assignment with local epoch {epoch}  Member:  {member_id}" + _OWNERSHIP,
    ),
    MessageTemplate("assignment_reconciling", "Reconciling assignment with local epoch {epoch}" + _OWNERSHIP),
    MessageTemplate(
        "listener_failed",
        "User provided listener {listener} failed on invocation of {callback} for partitions {partitions}",
    ),
    MessageTemplate(
        "topics_not_subscribed",
        "The following not-subscribed topics are assigned, and their metadata will be fetched from the brokers: "
        "{assigned_topics}",
    ),
    MessageTemplate(
        "assignment_unlawful",
        "With the COOPERATIVE protocol, owned partitions cannot be reassigned to other members; however the assignor "
        "has reassigned partitions {partitions} which are still owned by some members",
    ),
    MessageTemplate(
        "topics_not_assigned", "The following subscribed topics are not assigned to any members: {unassigned_topics}"
    ),
    MessageTemplate("subscribed", "Subscribed to topic(s): {topics}"),
    MessageTemplate("subscribed", "Subscribed to topics: {topics}"),
    MessageTemplate("subscribed", "Subscribed to pattern: '{topic_pattern}'"),
    MessageTemplate("subscribed", "Subscribing to regular expression {topic_pattern}"),
    MessageTemplate("assigned_manually", "Assigned to partition(s): {partitions}"),
    MessageTemplate("assigned_manually", "Subscribed to partition(s): {partitions}"),
    MessageTemplate("unsubscribed", "Unsubscribed all topics or patterns and assigned partitions"),
)

_LEADER = "currentLeader=LeaderAndEpoch{leader={leader}, epoch={leader_epoch}}}"
_FETCH_POSITION = "FetchPosition{offset={offset}, offsetEpoch={offset_epoch}, " + _LEADER
POSITIONS = (
    MessageTemplate(
        "position_set",
        "Setting offset for partition {topic_partition} to the committed offset " + _FETCH_POSITION,
    ),
    MessageTemplate("no_committed_offset", "Found no committed offset for partition {topic_partition}"),
    MessageTemplate(
        "offset_reset",
        "Resetting offset for partition {topic_partition} to position " + _FETCH_POSITION + ".",
    ),
    MessageTemplate("offset_reset", "Resetting offset for partition {topic_partition} to offset {offset}."),
    MessageTemplate("sought", "Seeking to offset {offset} for partition {topic_partition} with epoch {leader_epoch}"),
    MessageTemplate("sought", "Seeking to offset {offset} for partition {topic_partition}"),
    MessageTemplate("sought", "Seeking to {strategy} offset of partition {topic_partition}"),
    *(
        MessageTemplate(
            "position_out_of_range",
            "Fetch position " + _FETCH_POSITION + " is out of range for partition {topic_partition}, " + then,
        )
        for then in (
            "resetting offset",
            "raising error to the application since no reset policy is configured",
        )
    ),
    MessageTemplate(
        "position_out_of_range",
        "Fetch offset {offset} is out of range for partition {topic_partition}, resetting offset",
    ),
    MessageTemplate(
        "truncation_detected",
        "Truncation detected for partition {topic_partition} at offset " + _FETCH_POSITION + ", {then}",
    ),
    MessageTemplate(
        "offsets_unstable",
        "The following partitions still have unstable offsets which are not cleared on the broker side: {partitions}, "
        "this could be either transactional offsets waiting for completion, or normal offsets waiting for replication "
        "after appending to local log",
    ),
    MessageTemplate(
        "topic_unknown", "Received unknown topic or partition error in fetch for partition {topic_partition}"
    ),
)

_HEARTBEAT = "Attempt to heartbeat "
_EXPIRED = "onsumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than "
_LEAVE = "Member {member_id} sending LeaveGroup request to coordinator {coordinator}"
LEAVING = (
    MessageTemplate(
        "heartbeat_failed",
        _HEARTBEAT + "failed since coordinator {coordinator} is either not started or not valid",
    ),
    MessageTemplate(
        "heartbeat_failed",
        _HEARTBEAT + "failed since coordinator {coordinator} is either not started or not valid.",
    ),
    MessageTemplate("heartbeat_failed", _HEARTBEAT + "failed since group is rebalancing"),
    MessageTemplate("heartbeat_failed", "A group authorization error occurred in the heartbeat thread"),
    MessageTemplate("heartbeat_failed", "An authentication error occurred in the heartbeat thread"),
    MessageTemplate("heartbeat_failed", "Heartbeat thread failed due to unexpected error"),
    MessageTemplate("heartbeat_failed", "Unexpected interrupt received in heartbeat thread"),
    MessageTemplate("heartbeat_failed", _HEARTBEAT + "failed since generation {generation} is not current"),
    MessageTemplate("heartbeat_failed", _HEARTBEAT + "failed for since member id {member_id} is not valid."),
    *(
        MessageTemplate(
            "heartbeat_failed",
            _HEARTBEAT
            + f"with {stale}{_GENERATION} and group instance id {{instance_id}} failed due to {{error}}, {then}",
        )
        for stale, then in (("", "resetting generation"), ("stale ", "ignoring the error"))
    ),
    MessageTemplate("generation_reset", "Resetting generation and member id due to: {reason_text}"),
    MessageTemplate("generation_reset", "Resetting generation due to: {reason_text}"),
    MessageTemplate("poll_timeout", "c" + _EXPIRED + "{advice}", "poll_interval"),
    MessageTemplate("poll_timeout", "C" + _EXPIRED + "{advice}", "poll_interval"),
    MessageTemplate(
        "poll_timeout_ended",
        "Time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, exceeded "
        "approximately by {exceeded_ms} ms. Member {member_id} will rejoin the group now.",
        "poll_interval",
    ),
    MessageTemplate("leave_sent", _LEAVE + " due to {reason_text}"),
    MessageTemplate("leave_sent", _LEAVE),
    MessageTemplate("leave_failed", f"LeaveGroup request with {_GENERATION} failed with error: {{error}}"),
    MessageTemplate("leave_failed", "LeaveGroup request failed with error: {error}"),
    MessageTemplate(
        "close_timed_out",
        "Close timed out with {pending_requests} pending requests to coordinator, terminating client connections",
    ),
    MessageTemplate(
        "member_fenced",
        "Caught fenced group.instance.id {instance_id} error in heartbeat thread",
        "static_member_changed",
    ),
)

COMMITS = (
    MessageTemplate("commit_failed", "Failing OffsetCommit request since the consumer is not part of an active group"),
    MessageTemplate(
        "member_fenced",
        f"OffsetCommit failed with {_GENERATION} due to group instance id {{instance_id}} fenced",
        "static_member_changed",
    ),
    MessageTemplate("commit_failed", f"OffsetCommit failed with {_GENERATION}: {{error}}"),
    MessageTemplate(
        "commit_failed",
        "OffsetCommit failed for member {member_id} with stale member epoch error. Last epoch sent: {last_epoch}",
    ),
    MessageTemplate("commit_failed", "OffsetCommit failed with {error}"),
    MessageTemplate("commit_failed", "Offset commit failed on partition {topic_partition} at offset {offset}: {error}"),
    MessageTemplate("commit_failed", "Offset commit with offsets {offsets} failed: {error}"),
    MessageTemplate("commit_failed", "Offset commit with offsets {offsets} failed"),
    MessageTemplate("commit_failed", "Not authorized to commit to topics {topics}"),
    MessageTemplate("auto_commit_failed", "Asynchronous auto-commit of offsets {offsets} failed: {error}"),
    MessageTemplate("auto_commit_failed", "Synchronous auto-commit of offsets {offsets} failed: {error}"),
    MessageTemplate(
        "auto_commit_failed", "Asynchronous auto-commit of offsets failed: {error}. Will continue to join group"
    ),
    MessageTemplate(
        "auto_commit_failed", "Asynchronous auto-commit of offsets failed: {error}. Will continue to join group."
    ),
    MessageTemplate("auto_commit_failed", "Auto-commit of offsets {offsets} failed"),
    MessageTemplate("auto_commit_failed", "Synchronous auto-commit failed"),
)

_MEMBER = "Member {member_id} "
_NOT_SENT = "Heartbeat to leave group cannot be sent (most probably due to coordinator not known/available). "
EPOCHS = (
    MessageTemplate("member_state", _MEMBER + "with epoch {epoch} transitioned from {from_state} to {to_state}."),
    MessageTemplate("member_fatal", _MEMBER + "with epoch {epoch} transitioned to fatal state"),
    MessageTemplate(
        "reconciliation_interrupted", "Interrupting reconciliation that is not relevant anymore because {why}"
    ),
    MessageTemplate("leaving", _MEMBER + "is triggering callbacks to release assignment {released} and leave group"),
    MessageTemplate(
        "leaving",
        _MEMBER + "completed callback to release assignment. It will proceed to clear its assignment and send a leave "
        "group heartbeat",
    ),
    MessageTemplate("leave_failed", _NOT_SENT + _MEMBER + "with epoch {epoch} will transition to {to_state}."),
    MessageTemplate(
        "leave_failed",
        _MEMBER + "with epoch {epoch} received a failed response to the heartbeat to leave the group and completed the "
        "leave operation.",
    ),
    MessageTemplate("left", "Completed leaving the group"),
    MessageTemplate("left", "Completed releasing assignment and leaving group to close consumer."),
    MessageTemplate(
        "left",
        _MEMBER + "won't include epoch in following offset commit/fetch requests because it has left the group.",
    ),
    *(
        template
        for name in HEARTBEATS
        for template in (
            MessageTemplate(
                "member_fenced",
                f"{name} failed for member {{member_id}} because epoch {{epoch}} is fenced. "
                "in {retry_ms}ms: {error}",
            ),
            MessageTemplate(
                "member_fenced",
                f"{name} failed for member {{member_id}} because epoch {{epoch}} is fenced.",
            ),
            MessageTemplate(
                "member_unknown",
                f"{name} failed because member {{member_id}} is unknown. in {{retry_ms}}ms: {{error}}",
            ),
            MessageTemplate("member_unknown", f"{name} failed because member {{member_id}} is unknown."),
            MessageTemplate(
                "coordinator_lost",
                f"{name} failed because the group coordinator {{coordinator}} is {{state}}. Will attempt to find the "
                "coordinator again and retry in {retry_ms}ms: {error}",
                field_patterns={"state": "incorrect|not available"},
            ),
            MessageTemplate(
                "heartbeat_failed",
                f"{name} failed because the group coordinator {{coordinator}} is still loading. Will retry in "
                "{retry_ms}ms: {error}",
            ),
            MessageTemplate(
                "instance_id_refused",
                f"{name} failed due to unreleased instance id {{instance_id}}: {{error}}",
                "static_member_changed",
            ),
            MessageTemplate(
                "member_fenced",
                f"{name} failed due to fenced instance id {{instance_id}}: {{error}}",
                "static_member_changed",
            ),
            MessageTemplate("heartbeat_failed", f"{name} failed due to {{cause}}: {{error}}"),
            MessageTemplate("heartbeat_failed", f"{name} failed due to {{cause}}"),
        )
    ),
    MessageTemplate(
        "share_fetch_failed",
        "Error sending fetch request (memberId={member_id}, epoch={member_epoch}) to node {node_id}:",
    ),
)

# Known lines of the consumer that are not about its group; 4.3 prints an empty message as a banner.
IGNORED = ignored_templates(
    "",
    "Resetting the last seen epoch of partition {topic_partition} to {rest}",
    "Updating last seen epoch for partition {topic_partition} from {rest}",
    "Ignoring the returned {position} since its partition {topic_partition} is no longer assigned",
    "The pause flag in partitions [{partitions}] will be removed due to {cause}.",
    "Interrupted while waiting for consumer heartbeat thread to close",
    "still waiting to ensure active group",
    "Starting {rest}",
    "Kafka consumer initialized",
    "Closing the Kafka consumer",
    "Kafka consumer has been closed",
)

CLIENT_TEMPLATES = (
    *JOINING, *ASSIGNMENT, *POSITIONS, *LEAVING, *COMMITS, *COORDINATOR, *MEMBERSHIP_TEMPLATES, *EPOCHS, *IGNORED,
)  # fmt: skip
