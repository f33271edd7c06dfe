"""Message templates of a broker's group coordinator: the Scala one (2.4 to 3.9) and the Java one (3.7 and later).

Most Scala lines end without a period and print options as Some(x) or None; their Java twins end with one and print x or
null. Prefixes such as `[GroupCoordinator 1]: ` are cut off before a message is matched.
"""

from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.coordinator_runtime_templates import RUNTIME_TEMPLATES
from kafka_telemetry.formats.logs.templates.epoch_group_templates import EPOCHS, STREAMS
from kafka_telemetry.formats.logs.templates.group_lifecycle_templates import LIFECYCLE, OFFSETS_LOG

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
    MessageTemplate("member_id_assigned", _JOINS + "{member_id} and request the member to rejoin with this id."),
    MessageTemplate("member_id_assigned", _JOINS + "{member_id} and requesting the member to rejoin with this id."),
    MessageTemplate(
        "member_joined",
        "Dynamic Member with unknown member id joins group {group_id} in {state} state. "
        "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    MessageTemplate(
        "member_joined",
        "Dynamic member with unknown member id joins group {group_id} in state {state}. "
        "Created a new member id {member_id} and added the member to the group.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_joined",
        "Static Member with unknown member id joins group {group_id} in {state} state. "
        "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_joined",
        _STATIC_JOINS + "Created a new member id {member_id} for this member and add to the group.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_joined",
        _STATIC_JOINS + "Created a new member id {member_id} for this member and added to the group.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_joined",
        "Adding new static member {instance_id} to group {group_id} with member id {member_id}.",
        "member_joined",
    ),
    MessageTemplate(
        "static_member_replaced",
        _STATIC_JOINS + "Replacing previously mapped member {old_member_id} with this groupInstanceId.",
        "static_member_changed",
    ),
    MessageTemplate(
        "static_member_replaced",
        "Static member {instance_id} of group {group_id} with unknown member id rejoins, assigning new member id "
        "{member_id}, while old member id {old_member_id} will be removed.",
        "static_member_changed",
    ),
    MessageTemplate(
        "static_member_replaced",
        "Static member {instance_id} with unknown member id rejoins, assigning new member id {member_id}, while old "
        "member {old_member_id} will be removed.",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_joined",
        "Pending dynamic member with id {member_id} joins group {group_id} in {state} state. Adding to the group now.",
        "member_joined",
    ),
    MessageTemplate(
        "static_rejoined_quietly",
        "Static member which joins during Stable stage and doesn't affect selectProtocol will not trigger rebalance.",
    ),
    MessageTemplate(
        "static_rejoined_quietly",
        "Static member which joins during Stable stage and doesn't affect the selected protocol "
        "will not trigger a rebalance.",
    ),
    MessageTemplate("static_rejoined_quietly", "Static member joins during {state} stage will not trigger rebalance."),
    MessageTemplate(
        "member_fenced",
        "given member.id {member_id} is identified as a known static member {instance_id}, but not matching the "
        "expected member.id {current_member_id} during {operation}, will respond with instance fenced error",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_fenced",
        "given member.id {member_id} is identified as a known static member {instance_id}, but not matching the "
        "expected member.id {current_member_id}",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_fenced",
        _FENCED + "current memberId={current_member_id} during operation {operation}",
        "static_member_changed",
    ),
    MessageTemplate(
        "member_fenced",
        _FENCED + "existing memberId={current_member_id} during operation {operation}",
        "static_member_changed",
    ),
    MessageTemplate(
        "unexpected_rejoin",
        "Attempt to add rejoining member {member_id} of group {group_id} in unexpected group state {state}",
    ),
)

_PREPARING = "Preparing to rebalance group {group_id} in state {state} with old generation {generation} "
_EXPIRES = "Received unexpected notification of sync expiration for {group_id} "
GENERATIONS = (
    MessageTemplate("preparing_rebalance", _PREPARING + f"({OFFSETS_LOG}) (reason: {{reason_text}})"),
    MessageTemplate("preparing_rebalance", _PREPARING + "(reason: {reason_text})."),
    MessageTemplate(
        "stabilized",
        f"Stabilized group {{group_id}} generation {{generation}} ({OFFSETS_LOG}) with {{member_count}} members",
    ),
    MessageTemplate("stabilized", "Stabilized group {group_id} generation {generation} with {member_count} members."),
    MessageTemplate("stabilized", f"Stabilized group {{group_id}} generation {{generation}} ({OFFSETS_LOG})"),
    MessageTemplate("group_emptied", f"Group {{group_id}} with generation {{generation}} is now empty ({OFFSETS_LOG})"),
    MessageTemplate("group_emptied", "Group {group_id} with generation {generation} is now empty."),
    MessageTemplate(
        "members_not_rejoined",
        "Group {group_id} removed dynamic members who haven't joined: {removed}",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "members_not_rejoined",
        "Group {group_id} remove dynamic members who haven't joined: {removed}",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "nobody_rejoined",
        "Group {group_id} could not complete rebalance because no members rejoined",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "nobody_rejoined",
        "Group {group_id} could not complete rebalance because no members rejoined.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "nobody_rejoined",
        "Group leader [member.id: {old_member_id}, group.instance.id: {instance_id}] failed to join before rebalance "
        "timeout, and the group couldn't proceed to next generationbecause no member joined.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "leader_replaced",
        "Group leader [member.id: {old_member_id}, group.instance.id: {instance_id}] failed to join before rebalance "
        "timeout, while new leader {leader} was elected.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "leader_replaced",
        "Group leader [memberId: {old_member_id}, groupInstanceId: {instance_id}] failed to join before the rebalance "
        "timeout. Member {leader} was elected as the new leader.",
        "rebalance_timeout",
    ),
    MessageTemplate("dead_group_skipped", "Group {group_id} is dead, skipping rebalance stage"),
    MessageTemplate(
        "assignment_received",
        "Assignment received from leader {member_id} for group {group_id} for generation {generation}. "
        "The group has {member_count} members, {static_count} of which are static.",
    ),
    MessageTemplate(
        "assignment_received",
        "Assignment received from leader for group {group_id} for generation {generation}. "
        "The group has {member_count} members, {static_count} of which are static.",
    ),
    MessageTemplate(
        "assignment_received",
        "Assignment received from leader for group {group_id} for generation {generation}",
    ),
    MessageTemplate(
        "empty_assignment_set",
        "Setting empty assignments for members {members} of {group_id} for generation {generation}",
    ),
    MessageTemplate(
        "empty_assignment_set",
        "Setting empty assignments for members {members} of {group_id} for generation {generation}.",
    ),
    MessageTemplate(
        "empty_assignment_sent",
        "Sending empty assignment to member {member_id} of {group_id} for generation {generation} with no errors",
    ),
    MessageTemplate(
        "sync_timed_out",
        "Group {group_id} removed members who haven't sent their sync request: {removed}",
        "sync_timeout",
    ),
    MessageTemplate(
        "sync_timed_out",
        "Group {group_id} removed members who haven't sent their sync requests: {removed}",
        "sync_timeout",
    ),
    MessageTemplate(
        "stale_sync_expiration",
        _EXPIRES + "with an old generation {generation} while the group has {current_generation}.",
    ),
    MessageTemplate("stale_sync_expiration", _EXPIRES + "after the group already transitioned to the {state} state."),
    MessageTemplate("stale_sync_expiration", _EXPIRES + "after group already transitioned to the {state} state."),
    MessageTemplate("stale_sync_expiration", _EXPIRES + "after group already transitioned to {state} state."),
    MessageTemplate(
        "stale_sync_expiration",
        "Received unexpected notification of sync expiration after group {group_id} already transitioned to the "
        "{state} state.",
    ),
    MessageTemplate(
        "stale_sync_expiration",
        "Received unexpected notification of sync expiration after group {group_id} already transitioned to "
        "{state} state.",
    ),
)

_LEFT = "has left group through explicit `LeaveGroup` request"
_LEFT_SCALA = f"Member {_SCALA_MEMBER} has left group {{group_id}} through explicit `LeaveGroup`"
_PENDING = "Pending member with memberId={member_id} has left group {group_id} through explicit `LeaveGroup` request"
LEAVING = (
    MessageTemplate("member_left", _LEFT_SCALA + "; client reason: {reason_text}", "member_left"),
    MessageTemplate("member_left", _LEFT_SCALA + " request", "member_left"),
    MessageTemplate(
        "member_left",
        "Member[group.instance.id {instance_id}, member.id {member_id}] in group {group_id} has left, "
        "removing it from the group",
        "member_left",
    ),
    *(
        MessageTemplate("member_left", f"[{group}] {member} {_LEFT}{reason}", "member_left")
        for group in ("Group {group_id}", "GroupId {group_id}")
        for member in (
            "Member {member_id}",
            "Dynamic member {member_id}",
            "Dynamic Member {member_id}",
            "Static member {member_id} with instance id {instance_id}",
            "Static Member {member_id} with instance id {instance_id}",
        )
        for reason in ("; client reason: {reason_text}", "")
    ),
    *(
        MessageTemplate("pending_member_left", f"[{group}] Pending member {{member_id}} {_LEFT}{reason}", "member_left")
        for group in ("Group {group_id}", "GroupId {group_id}")
        for reason in ("; client reason: {reason_text}", "")
    ),
    MessageTemplate("pending_member_left", _PENDING, "member_left"),
    MessageTemplate("pending_member_left", _PENDING + "; client reason: {reason_text}", "member_left"),
    MessageTemplate("pending_member_left", "Pending member {member_id} is leaving group {group_id}.", "member_left"),
    MessageTemplate(
        "member_expired",
        "Member {member_id} in group {group_id} has failed, removing it from the group",
        "session_timeout",
    ),
    MessageTemplate(
        "member_expired",
        "Member {member_id} in group {group_id} has failed, removing it from the group.",
        "session_timeout",
    ),
    MessageTemplate(
        "pending_member_expired",
        "Pending member {member_id} in group {group_id} has been removed after session timeout expiration.",
        "session_timeout",
    ),
    MessageTemplate(
        "late_expiration",
        "Received notification of heartbeat expiration for member {member_id} after group {group_id} "
        "had already been unloaded or deleted.",
    ),
    *(
        MessageTemplate(
            "late_expiration", f"Member id {{member_id}} was not found in {{group_id}} during heartbeat {step}"
        )
        for step in ("completion check", "expiration.")
    ),
)

LOADING = (
    MessageTemplate(
        "member_loaded", f"Loaded member {_SCALA_MEMBER} in group {{group_id}} with generation {{generation}}."
    ),
    MessageTemplate(
        "member_loaded", f"Loaded member {_SCALA_MEMBER_2} in group {{group_id}} with generation {{generation}}."
    ),
)

_IGNORED_TEXTS = (
    "Starting up.",
    "Shutting down.",
    f"Scheduling loading of offsets and group metadata from {OFFSETS_LOG} for epoch {{coordinator_epoch}}",
    f"Scheduling loading of offsets and group metadata from {OFFSETS_LOG}",
    f"Already loading offsets and group metadata from {OFFSETS_LOG}",
    f"Not loading offsets and group metadata for {OFFSETS_LOG} in epoch {{coordinator_epoch}} since current epoch is {{epoch}}",
    f"Not removing offsets and group metadata for {OFFSETS_LOG} in epoch {{coordinator_epoch}} since current epoch is {{epoch}}",
    f"Loaded offsets and group metadata from {OFFSETS_LOG} with buffer larger ({{byte_count}} bytes) than configured "
    "offsets.load.buffer.size ({size} bytes)",
    f"Scheduling loading of metadata from {OFFSETS_LOG} with epoch {{coordinator_epoch}}",
    f"Scheduling unloading of offsets and group metadata from {OFFSETS_LOG}",
    "Scheduling unloading of metadata for {partition_name} with epoch {coordinator_epoch}",
    "Started unloading metadata for {partition_name} with epoch {coordinator_epoch}.",
    "Started unloading metadata for {partition_name} with epoch {coordinator_epoch}",
    "Ignored unloading metadata for {partition_name} in epoch {coordinator_epoch} since metadata was never loaded.",
    "[group-coordinator-event-processor-{thread}]: {step}",
    "[share-coordinator-event-processor-{thread}]: {step}",
    "[ShareCoordinator id={broker_id}] {message}",
    "[ShareCoordinator id={broker_id} topic=__share_group_state partition={partition}] {message}",
)
IGNORED = tuple(MessageTemplate("", text, field_patterns={"coordinator_epoch": ".*?"}) for text in _IGNORED_TEXTS)

BROKER_TEMPLATES = (
    *GENERATIONS, *JOINING, *LEAVING, *LOADING, *LIFECYCLE, *EPOCHS, *STREAMS, *RUNTIME_TEMPLATES, *IGNORED,
)  # fmt: skip
