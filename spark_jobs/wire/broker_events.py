"""What a broker's group coordinator prints: the Scala one (2.4 to 3.9) and the Java one (3.7 and later).

A Scala line mostly ends without a period and shows options as Some(x) or None; its Java twin ends with one and shows
x or null. Prefixes such as `[GroupCoordinator 1]: ` are cut off before these wordings are tried.
"""

from spark_jobs.wire.coordinator_runtime_events import RUNTIME_TEMPLATES
from spark_jobs.wire.log_template import Template, ignored

_P = "__consumer_offsets-{offsets_partition}"
_SCALA_MEMBER = (
    "MemberMetadata(memberId={member_id}, groupInstanceId={instance_id}, clientId={client_id}, "
    "clientHost={client_host}, sessionTimeoutMs={session_timeout_ms}, rebalanceTimeoutMs={rebalance_timeout_ms}, "
    "supportedProtocols=List({protocols}))"
)
_SCALA_MEMBER_2 = _SCALA_MEMBER.removesuffix(")") + ", )"  # up to 2.8
_JOINS = "Dynamic member with unknown member id joins group {group_id} in {state} state. Created a new member id "
_STATIC_JOINS = (
    "Static member with groupInstanceId={instance_id} and unknown member id joins group {group_id} in {state} state. "
)
_FENCED = "Request memberId={member_id} for static member with groupInstanceId={instance_id} is fenced by "

JOINING = (
    Template("member_id_assigned", _JOINS + "{member_id} and request the member to rejoin with this id."),
    Template("member_id_assigned", _JOINS + "{member_id} and requesting the member to rejoin with this id."),
    Template(
        "member_joined",
        "Dynamic Member with unknown member id joins group {group_id} in {state} state. "
        "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    Template(
        "member_joined",
        "Dynamic member with unknown member id joins group {group_id} in state {state}. "
        "Created a new member id {member_id} and added the member to the group.",
        "member_joined",
    ),
    Template(
        "member_joined",
        "Static Member with unknown member id joins group {group_id} in {state} state. "
        "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    Template(
        "static_member_joined",
        _STATIC_JOINS + "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    Template(
        "static_member_joined",
        _STATIC_JOINS + "Created a new member id {member_id} for this member and added to the group.",
        "member_joined",
    ),
    Template(
        "static_member_joined",
        "Adding new static member {instance_id} to group {group_id} with member id {member_id}.",
        "member_joined",
    ),
    Template(
        "static_member_replaced",
        _STATIC_JOINS + "Replacing previously mapped member {old_member_id} with this groupInstanceId.",
        "static_member_changed",
    ),
    Template(
        "static_member_replaced",
        "Static member {instance_id} of group {group_id} with unknown member id rejoins, assigning new member id "
        "{member_id}, while old member id {old_member_id} will be removed.",
        "static_member_changed",
    ),
    Template(
        "static_member_replaced",
        "Static member {instance_id} with unknown member id rejoins, assigning new member id {member_id}, while old "
        "member {old_member_id} will be removed.",
        "static_member_changed",
    ),
    Template(
        "member_joined",
        "Pending dynamic member with id {member_id} joins group {group_id} in {state} state. Adding to the group now.",
        "member_joined",
    ),
    Template(
        "static_rejoined_quietly",
        "Static member which joins during Stable stage and doesn't affect selectProtocol will not trigger rebalance.",
    ),
    Template(
        "static_rejoined_quietly",
        "Static member which joins during Stable stage and doesn't affect the selected protocol "
        "will not trigger a rebalance.",
    ),
    Template("static_rejoined_quietly", "Static member joins during {state} stage will not trigger rebalance."),
    Template(
        "member_fenced",
        "given member.id {member_id} is identified as a known static member {instance_id}, but not matching the "
        "expected member.id {current_member_id} during {operation}, will respond with instance fenced error",
        "static_member_changed",
    ),
    Template(
        "member_fenced",
        "given member.id {member_id} is identified as a known static member {instance_id}, but not matching the "
        "expected member.id {current_member_id}",
        "static_member_changed",
    ),
    Template(
        "member_fenced",
        _FENCED + "current memberId={current_member_id} during operation {operation}",
        "static_member_changed",
    ),
    Template(
        "member_fenced",
        _FENCED + "existing memberId={current_member_id} during operation {operation}",
        "static_member_changed",
    ),
    Template(
        "unexpected_rejoin",
        "Attempt to add rejoining member {member_id} of group {group_id} in unexpected group state {state}",
    ),
)

_PREPARING = "Preparing to rebalance group {group_id} in state {state} with old generation {generation} "
_EXPIRES = "Received unexpected notification of sync expiration for {group_id} "
GENERATIONS = (
    Template("preparing_rebalance", _PREPARING + f"({_P}) (reason: {{reason_text}})"),
    Template("preparing_rebalance", _PREPARING + "(reason: {reason_text})."),
    Template(
        "stabilized", f"Stabilized group {{group_id}} generation {{generation}} ({_P}) with {{member_count}} members"
    ),
    Template("stabilized", "Stabilized group {group_id} generation {generation} with {member_count} members."),
    Template("stabilized", f"Stabilized group {{group_id}} generation {{generation}} ({_P})"),
    Template("group_emptied", f"Group {{group_id}} with generation {{generation}} is now empty ({_P})"),
    Template("group_emptied", "Group {group_id} with generation {generation} is now empty."),
    Template(
        "members_not_rejoined",
        "Group {group_id} removed dynamic members who haven't joined: {removed}",
        "rebalance_timeout",
    ),
    Template(
        "members_not_rejoined",
        "Group {group_id} remove dynamic members who haven't joined: {removed}",
        "rebalance_timeout",
    ),
    Template(
        "nobody_rejoined",
        "Group {group_id} could not complete rebalance because no members rejoined",
        "rebalance_timeout",
    ),
    Template(
        "nobody_rejoined",
        "Group {group_id} could not complete rebalance because no members rejoined.",
        "rebalance_timeout",
    ),
    Template(
        "nobody_rejoined",
        "Group leader [member.id: {old_member_id}, group.instance.id: {instance_id}] failed to join before rebalance "
        "timeout, and the group couldn't proceed to next generationbecause no member joined.",
        "rebalance_timeout",
    ),
    Template(
        "leader_replaced",
        "Group leader [member.id: {old_member_id}, group.instance.id: {instance_id}] failed to join before rebalance "
        "timeout, while new leader {leader} was elected.",
        "rebalance_timeout",
    ),
    Template(
        "leader_replaced",
        "Group leader [memberId: {old_member_id}, groupInstanceId: {instance_id}] failed to join before the rebalance "
        "timeout. Member {leader} was elected as the new leader.",
        "rebalance_timeout",
    ),
    Template("dead_group_skipped", "Group {group_id} is dead, skipping rebalance stage"),
    Template(
        "assignment_received",
        "Assignment received from leader {member_id} for group {group_id} for generation {generation}. "
        "The group has {member_count} members, {static_count} of which are static.",
    ),
    Template(
        "assignment_received",
        "Assignment received from leader for group {group_id} for generation {generation}. "
        "The group has {member_count} members, {static_count} of which are static.",
    ),
    Template(
        "assignment_received",
        "Assignment received from leader for group {group_id} for generation {generation}",
    ),
    Template(
        "empty_assignment_set",
        "Setting empty assignments for members {members} of {group_id} for generation {generation}",
    ),
    Template(
        "empty_assignment_set",
        "Setting empty assignments for members {members} of {group_id} for generation {generation}.",
    ),
    Template(
        "empty_assignment_sent",
        "Sending empty assignment to member {member_id} of {group_id} for generation {generation} with no errors",
    ),
    Template(
        "sync_timed_out",
        "Group {group_id} removed members who haven't sent their sync request: {removed}",
        "sync_timeout",
    ),
    Template(
        "sync_timed_out",
        "Group {group_id} removed members who haven't sent their sync requests: {removed}",
        "sync_timeout",
    ),
    Template(
        "stale_sync_expiration",
        _EXPIRES + "with an old generation {generation} while the group has {current_generation}.",
    ),
    Template("stale_sync_expiration", _EXPIRES + "after the group already transitioned to the {state} state."),
    Template("stale_sync_expiration", _EXPIRES + "after group already transitioned to the {state} state."),
    Template("stale_sync_expiration", _EXPIRES + "after group already transitioned to {state} state."),
    Template(
        "stale_sync_expiration",
        "Received unexpected notification of sync expiration after group {group_id} already transitioned to the "
        "{state} state.",
    ),
    Template(
        "stale_sync_expiration",
        "Received unexpected notification of sync expiration after group {group_id} already transitioned to "
        "{state} state.",
    ),
)

_LEFT = "has left group through explicit `LeaveGroup` request"
_LEFT_SCALA = f"Member {_SCALA_MEMBER} has left group {{group_id}} through explicit `LeaveGroup`"
_PENDING = "Pending member with memberId={member_id} has left group {group_id} through explicit `LeaveGroup` request"
LEAVING = (
    Template("member_left", _LEFT_SCALA + "; client reason: {reason_text}", "member_left"),
    Template("member_left", _LEFT_SCALA + " request", "member_left"),
    Template(
        "member_left",
        "Member[group.instance.id {instance_id}, member.id {member_id}] in group {group_id} has left, "
        "removing it from the group",
        "member_left",
    ),
    *(
        Template("member_left", f"[{group}] {who} {_LEFT}{why}", "member_left")
        for group in ("Group {group_id}", "GroupId {group_id}")
        for who in (
            "Member {member_id}",
            "Dynamic member {member_id}",
            "Dynamic Member {member_id}",
            "Static member {member_id} with instance id {instance_id}",
            "Static Member {member_id} with instance id {instance_id}",
        )
        for why in ("; client reason: {reason_text}", "")
    ),
    *(
        Template("pending_member_left", f"[{group}] Pending member {{member_id}} {_LEFT}{why}", "member_left")
        for group in ("Group {group_id}", "GroupId {group_id}")
        for why in ("; client reason: {reason_text}", "")
    ),
    Template("pending_member_left", _PENDING, "member_left"),
    Template("pending_member_left", _PENDING + "; client reason: {reason_text}", "member_left"),
    Template("pending_member_left", "Pending member {member_id} is leaving group {group_id}.", "member_left"),
    Template(
        "member_expired",
        "Member {member_id} in group {group_id} has failed, removing it from the group",
        "session_timeout",
    ),
    Template(
        "member_expired",
        "Member {member_id} in group {group_id} has failed, removing it from the group.",
        "session_timeout",
    ),
    Template(
        "pending_member_expired",
        "Pending member {member_id} in group {group_id} has been removed after session timeout expiration.",
        "session_timeout",
    ),
    Template(
        "late_expiration",
        "Received notification of heartbeat expiration for member {member_id} after group {group_id} "
        "had already been unloaded or deleted.",
    ),
    *(
        Template("late_expiration", f"Member id {{member_id}} was not found in {{group_id}} during heartbeat {then}")
        for then in ("completion check", "expiration.")
    ),
)

LIFECYCLE = (
    Template("group_dead", "Group {group_id} transitioned to Dead in generation {generation}"),
    Template("member_loaded", f"Loaded member {_SCALA_MEMBER} in group {{group_id}} with generation {{generation}}."),
    Template("member_loaded", f"Loaded member {_SCALA_MEMBER_2} in group {{group_id}} with generation {{generation}}."),
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
        f"Finished loading offsets and group metadata from {_P} in {{duration_ms}} milliseconds for epoch "
        "{coordinator_epoch}, of which {scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {_P} in {{duration_ms}} milliseconds, of which "
        "{scheduler_ms} milliseconds was spent in the scheduler.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading offsets and group metadata from {_P} in {{duration_ms}} milliseconds.",
    ),
    Template(
        "partition_loaded",
        f"Finished loading of metadata from {_P} with epoch {{coordinator_epoch}} in {{duration_ms}}ms where "
        "{scheduler_ms}ms was spent in the scheduler. Loaded {record_count} records which total to {byte_count} bytes.",
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading {_P} for coordinator epoch {{coordinator_epoch}}. "
        "Removed {offset_count} cached offsets and {group_count} cached groups.",
        narrow={"coordinator_epoch": ".*?"},
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading {_P}. Removed {{offset_count}} cached offsets and {{group_count}} cached groups.",
    ),
    Template(
        "partition_unloaded",
        f"Finished unloading metadata for {_P} with epoch {{coordinator_epoch}}.",
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
        f"Failed to append {{record_count}} tombstones to {_P} for expired/deleted offsets and/or metadata for group "
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
        f"Group {{group_id}} has moved away from {_P} after transaction marker was written but before the cache was "
        "updated. The cache on the new group owner will be updated instead.",
    ),
    Template("load_failed", f"Error loading offsets from {_P}"),
    Template("load_failed", f"Attempted to load offsets and group metadata from {_P}, but found no log"),
    Template(
        "record_skipped",
        f"Unknown message key with version {{key_version}} while loading offsets and group metadata from {_P}. "
        "Ignoring it. It could be a left over from an aborted upgrade.",
    ),
    Template(
        "subscription_unreadable",
        "Failed to parse Consumer Protocol {protocol_type}:{protocol} of group {group_id}. Consumer group coordinator "
        "is not aware of the subscribed topics.",
    ),
)

_G = "[GroupId {group_id}] "
_KIND = "the {group_kind} group"
_FENCED_OUT = _G + "Member {member_id} fenced from the group because "
_REJOIN = (
    _G + "Static member with instance id {instance_id} re-joins " + _KIND + " using the {protocol_kind} protocol. "
    "Created a new member {member_id} to replace the existing member {old_member_id}."
)
_STATE = (
    _G + "Member {member_id} new assignment state: epoch={epoch}, previousEpoch={previous_epoch}, state={state}, "
    "assignedPartitions={assigned}"
)
EPOCHS = (
    Template(
        "member_joined",
        _G + f"Member {{member_id}} joins {_KIND} using the {{protocol_kind}} protocol.",
        "member_joined",
    ),
    *(
        Template(
            "static_member_joined",
            _G + f"Static {member} {{member_id}} with instance id {{instance_id}} joins {_KIND} "
            "using the {protocol_kind} protocol.",
            "member_joined",
        )
        for member in ("member", "Member")
    ),
    Template("static_member_replaced", _REJOIN, "static_member_changed"),
    Template("static_member_replaced", _REJOIN.replace("Static member", "Static Member"), "static_member_changed"),
    Template(
        "member_id_assigned",
        _G + f"Dynamic member with unknown member id joins {_KIND}. Created a new member id {{member_id}} and "
        "requesting the member to rejoin with this id.",
    ),
    Template("subscription_updated", _G + "Member {member_id} updated its subscribed topics to: {subscribed}."),
    Template("subscription_updated", _G + "Member {member_id} updated its subscribed regex to: {subscribed}."),
    Template("metadata_computed", _G + "Computed new subscription metadata: {metadata}."),
    Template("metadata_computed", _G + "Computed new metadata hash: {metadata_hash}."),
    Template("epoch_bumped", _G + "Bumped group epoch to {generation} with metadata hash {metadata_hash}."),
    Template("epoch_bumped", _G + "Bumped group epoch to {generation}."),
    Template("epoch_bumped", _G + "Bumped streams group epoch to {generation} with metadata hash {metadata_hash}."),
    Template("epoch_bumped", _G + "Bumped streams group epoch to {generation}."),
    Template(
        "target_computed",
        _G + "Computed a new target assignment for epoch {generation} with '{assignor}' assignor in {duration_ms}ms.",
    ),
    Template(
        "target_computed",
        _G + "Computed a new target assignment for epoch {generation} with '{assignor}' assignor in {duration_ms}ms: "
        "{target}.",
    ),
    Template("target_failed", _G + "Failed to compute a new target assignment for epoch {generation}: {error}."),
    Template("member_reconciled", _STATE + " and revokedPartitions={revoked}."),
    Template("member_reconciled", _STATE + "."),
    Template("member_left", _G + f"Member {{member_id}} left {_KIND}.", "member_left"),
    *(
        Template(
            "static_member_away",
            _G + f"Static {member} {{member_id}} with instance id {{instance_id}} temporarily left {_KIND}.",
        )
        for member in ("member", "Member")
    ),
    *(
        Template(
            "member_left",
            _G + f"Static {member} {{member_id}} with instance id {{instance_id}} left {_KIND}.",
            "member_left",
        )
        for member in ("member", "Member")
    ),
    Template("member_expired", _FENCED_OUT + "the member session expired.", "session_timeout"),
    Template(
        "member_evicted",
        _FENCED_OUT + "it failed to transition from epoch {epoch} within {rebalance_timeout_ms}ms.",
        "rebalance_timeout",
    ),
    Template(
        "member_evicted",
        _FENCED_OUT + "the classic member failed to join within the rebalance timeout.",
        "rebalance_timeout",
    ),
    Template("member_evicted", _FENCED_OUT + "the member failed to sync within timeout.", "sync_timeout"),
    *(
        Template(
            "member_fenced",
            _G + f"Static {member} {{member_id}} with instance id {{instance_id}} {why}",
            "static_member_changed",
        )
        for member in ("member", "Member")
        for why in (
            "cannot join the group because the instance id is owned by member {current_member_id}.",
            "cannot join the group because the instance id is is owned by member {current_member_id}.",
            "is fenced by existing member {current_member_id}.",
        )
    ),
    Template(
        "regex_refreshed",
        _G + "Scanned {topic_count} topics to refresh regular expressions {expressions} in {duration_ms}ms.",
    ),
    *(
        Template("group_converted", _G + f"Converted the {old} group to a {{group_kind}} group.")
        for old in ("empty {old_group_kind}", "{old_group_kind}")
    ),
    Template(
        "conversion_refused", "Cannot upgrade classic group {group_id} to {group_kind} group because {reason_text}."
    ),
    Template(
        "conversion_refused",
        "Cannot downgrade {old_group_kind} group {group_id} to classic group because {reason_text}.",
    ),
    Template(
        "conversion_refused",
        "Cannot join the {group_kind} group {group_id} with the classic protocol because {reason_text}.",
    ),
)

_M = "[GroupId {group_id}][MemberId {member_id}] "
STREAMS = (
    Template("member_joined", _M + "Member {instance_id} joins the {group_kind} group.", "member_joined"),
    Template("streams_member_changed", _M + "{change}"),
)

_BROKER_MARKS = ignored(
    "Starting up.",
    "Shutting down.",
    f"Scheduling loading of offsets and group metadata from {_P} for epoch {{coordinator_epoch}}",
    f"Scheduling loading of offsets and group metadata from {_P}",
    f"Already loading offsets and group metadata from {_P}",
    f"Not loading offsets and group metadata for {_P} in epoch {{coordinator_epoch}} since current epoch is {{epoch}}",
    f"Not removing offsets and group metadata for {_P} in epoch {{coordinator_epoch}} since current epoch is {{epoch}}",
    f"Loaded offsets and group metadata from {_P} with buffer larger ({{byte_count}} bytes) than configured "
    "offsets.load.buffer.size ({size} bytes)",
    f"Scheduling loading of metadata from {_P} with epoch {{coordinator_epoch}}",
    f"Scheduling unloading of offsets and group metadata from {_P}",
    "Scheduling unloading of metadata for {partition_name} with epoch {coordinator_epoch}",
    "Started unloading metadata for {partition_name} with epoch {coordinator_epoch}.",
    "Started unloading metadata for {partition_name} with epoch {coordinator_epoch}",
    "Ignored unloading metadata for {partition_name} in epoch {coordinator_epoch} since metadata was never loaded.",
    "[group-coordinator-event-processor-{thread}]: {step}",
    "[share-coordinator-event-processor-{thread}]: {step}",
    "[ShareCoordinator id={broker_id}] {message}",
    "[ShareCoordinator id={broker_id} topic=__share_group_state partition={partition}] {message}",
)
IGNORED = tuple(Template("", template.wording, narrow={"coordinator_epoch": ".*?"}) for template in _BROKER_MARKS)

BROKER_TEMPLATES = (
    *GENERATIONS, *JOINING, *LEAVING, *LIFECYCLE, *EPOCHS, *STREAMS, *RUNTIME_TEMPLATES, *IGNORED,
)  # fmt: skip
