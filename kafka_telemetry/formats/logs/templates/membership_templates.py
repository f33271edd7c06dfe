"""Message templates of a consumer of the KIP-848 or share protocol (3.7 and later) about failures of its membership."""

from kafka_telemetry.formats.logs.message_template import MessageTemplate, ignored_templates

HEARTBEATS = (
    "ConsumerGroupHeartbeatRequest",
    "ConsumerGroupHeartbeat",
    "ShareGroupHeartbeatRequest",
    "ShareGroupHeartbeat",
    # 3.7 and 3.8.
    "GroupHeartbeatRequest",
    "GroupHeartbeat",
)
_MEMBER = "Member {member_id} "
_LOST = "onPartitionsLost callback invocation failed while releasing assignment"

MEMBERSHIP = (
    *(
        template
        for name in HEARTBEATS
        for template in (
            MessageTemplate("heartbeat_failed", f"{name} failed because of unexpected exception."),
            MessageTemplate("heartbeat_failed", f"{name} failed because of {{error}}: {{response}}"),
            MessageTemplate(
                "heartbeat_failed",
                f"{name} failed for member {{member_id}} with state {{state}} due to {{cause}}: {{error}}",
            ),
            # Up to 3.9 without a space behind the first sentence.
            MessageTemplate(
                "heartbeat_failed",
                f"{name} failed because the group coordinator {{coordinator}} is still loading.Will retry in "
                "{retry_ms}ms: {error}",
            ),
            MessageTemplate("heartbeat_failed", f"{name} regex resolution not supported: {{error}}"),
            MessageTemplate(
                "heartbeat_failed",
                f"{name} received GROUP_ID_NOT_FOUND for group {{unknown_group}} while unsubscribed.",
            ),
        )
    ),
    MessageTemplate(
        "instance_id_refused",
        "GroupHeartbeatRequest failed due to the instance id {instance_id} was not released: {error}",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_fenced", _MEMBER + "with epoch {epoch} got fenced but it is already preparing to leave {rest}"
    ),
    MessageTemplate(
        "member_fatal",
        _MEMBER + "with epoch {epoch} was leaving the group with state {state} when it got a fatal error {rest}",
    ),
    MessageTemplate("member_fatal", _MEMBER + "with epoch {epoch} transitioned to FATAL state"),
    MessageTemplate("member_fatal", "Non-member transitioned to FATAL state"),
    MessageTemplate(
        "member_fatal",
        "No action taken to join the group with the updated subscription because the member is in FATAL state",
    ),
    MessageTemplate(
        "leave_failed",
        _MEMBER + "with epoch {epoch} won't send leave group request because it is in FATAL state",
    ),
    MessageTemplate(
        "left",
        _MEMBER + "won't include member id and epoch in following offset commit/fetch requests because it has left the "
        "group.",
    ),
    MessageTemplate("left", _MEMBER + "won't send leave group request because it is already out of the group."),
    MessageTemplate("listener_failed", _LOST + "{when}"),
    MessageTemplate("listener_failed", "onPartitionsRevoked callback invocation failed for partitions {partitions}"),
    MessageTemplate("listener_failed", _MEMBER + "callback to release assignment failed. {then}"),
    MessageTemplate(
        "listener_failed",
        "The {callback} method completed with an error ({error}); signaling to continue to the next phase of rebalance",
    ),
    MessageTemplate(
        "listener_failed",
        "Leaving newly assigned partitions {partitions} marked as non-fetchable and not requiring initializing "
        "positions after onPartitionsAssigned callback failed.",
    ),
    MessageTemplate(
        "reconciliation_interrupted",
        "Interrupting reconciliation after partitions assigned callback completed. {why}",
    ),
    MessageTemplate("reconciliation_failed", "Reconciliation failed."),
    MessageTemplate(
        "auto_commit_failed",
        "Auto-commit request before reconciling new assignment failed. Will proceed with the reconciliation anyway.",
    ),
    MessageTemplate("auto_commit_failed", "Asynchronous auto-commit of offsets {offsets} failed"),
    # 3.8 and 3.9.
    MessageTemplate(
        "member_fenced",
        "OffsetCommit failed due to group instance id fenced: {instance_id}",
        "static_member_changed",
    ),
    MessageTemplate("commit_failed", "OffsetCommit timeout expired so it won't be retried anymore"),
    MessageTemplate("commit_failed", "OffsetCommit failed due to not authorized to commit to topics {topics}"),
    MessageTemplate("commit_failed", "OffsetCommit failed on partition {topic_partition} for offset {offset}: {error}"),
    MessageTemplate("commit_failed", "Unexpected error when completing offset commit: {request}"),
    MessageTemplate(
        "commit_failed",
        "Failing all unsent commit requests and offset fetches because of coordinator fatal error.",
    ),
    MessageTemplate(
        "positions_not_fetched", "OffsetFetch failed with {error} because the member is not part of the group anymore."
    ),
    MessageTemplate(
        "positions_not_fetched",
        "OffsetFetch failed with {error} and the consumer is not part of the group anymore {rest}",
    ),
    MessageTemplate("request_failed", "Unexpected error handling response for {request}"),
    MessageTemplate("coordinator_not_found", "FindCoordinator request failed due to fatal exception"),
    MessageTemplate(
        "poll_timeout",
        "Share consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer "
        "than {advice}",
        "poll_interval",
    ),
)

IGNORED = ignored_templates(
    "A duplicated, inflight, request was identified, but unable to find it in the outbound buffer:{rest}",
    "Duplicated OffsetFetchRequest: {rest}",
    "OffsetCommit request to remove not found in the outbound buffer: {rest}",
    "OffsetFetch request to remove not found in the outbound buffer: {rest}",
    "The pause flag in partitions {partitions} will be removed due to {cause}.",
)

MEMBERSHIP_TEMPLATES = (*MEMBERSHIP, *IGNORED)
