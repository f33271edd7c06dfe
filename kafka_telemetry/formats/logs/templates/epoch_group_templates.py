"""Message templates of a broker's Java coordinator (3.7 and later) about KIP-848, share and streams groups."""

from kafka_telemetry.formats.logs.message_template import MessageTemplate

_OF_GROUP = "[GroupId {group_id}] "
_KIND = "the {group_kind} group"
_FENCED_OUT = _OF_GROUP + "Member {member_id} fenced from the group because "
_REJOIN = (
    _OF_GROUP
    + "Static member with instance id {instance_id} re-joins "
    + _KIND
    + " using the {protocol_kind} protocol. "
    "Created a new member {member_id} to replace the existing member {old_member_id}."
)
_STATE = (
    _OF_GROUP
    + "Member {member_id} new assignment state: epoch={epoch}, previousEpoch={previous_epoch}, state={state}, "
    "assignedPartitions={assigned}"
)
EPOCHS = (
    MessageTemplate(
        "member_joined",
        _OF_GROUP + f"Member {{member_id}} joins {_KIND} using the {{protocol_kind}} protocol.",
        "member_joined",
    ),
    *(
        MessageTemplate(
            "static_member_joined",
            _OF_GROUP + f"Static {member} {{member_id}} with instance id {{instance_id}} joins {_KIND} "
            "using the {protocol_kind} protocol.",
            "member_joined",
        )
        for member in ("member", "Member")
    ),
    MessageTemplate("static_member_replaced", _REJOIN, "static_member_changed"),
    MessageTemplate(
        "static_member_replaced", _REJOIN.replace("Static member", "Static Member"), "static_member_changed"
    ),
    MessageTemplate(
        "member_id_assigned",
        _OF_GROUP + f"Dynamic member with unknown member id joins {_KIND}. Created a new member id {{member_id}} and "
        "requesting the member to rejoin with this id.",
    ),
    MessageTemplate(
        "subscription_updated", _OF_GROUP + "Member {member_id} updated its subscribed topics to: {subscribed}."
    ),
    MessageTemplate(
        "subscription_updated", _OF_GROUP + "Member {member_id} updated its subscribed regex to: {subscribed}."
    ),
    MessageTemplate("metadata_computed", _OF_GROUP + "Computed new subscription metadata: {metadata}."),
    MessageTemplate("metadata_computed", _OF_GROUP + "Computed new metadata hash: {metadata_hash}."),
    MessageTemplate(
        "epoch_bumped", _OF_GROUP + "Bumped group epoch to {generation} with metadata hash {metadata_hash}."
    ),
    MessageTemplate("epoch_bumped", _OF_GROUP + "Bumped group epoch to {generation}."),
    MessageTemplate(
        "epoch_bumped", _OF_GROUP + "Bumped streams group epoch to {generation} with metadata hash {metadata_hash}."
    ),
    MessageTemplate(
        "epoch_bumped",
        _OF_GROUP + "Bumped streams group epoch to {generation} with metadata hash {metadata_hash} "
        "and validated topic epoch {topology_epoch}.",
    ),
    MessageTemplate("epoch_bumped", _OF_GROUP + "Bumped streams group epoch to {generation}."),
    MessageTemplate(
        "target_computed",
        _OF_GROUP
        + "Computed a new target assignment for epoch {generation} with '{assignor}' assignor in {duration_ms}ms.",
    ),
    MessageTemplate(
        "target_computed",
        _OF_GROUP
        + "Computed a new target assignment for epoch {generation} with '{assignor}' assignor in {duration_ms}ms: "
        "{target}.",
    ),
    MessageTemplate(
        "target_failed", _OF_GROUP + "Failed to compute a new target assignment for epoch {generation}: {error}."
    ),
    MessageTemplate("member_reconciled", _STATE + " and revokedPartitions={revoked}."),
    MessageTemplate("member_reconciled", _STATE + "."),
    MessageTemplate("member_left", _OF_GROUP + f"Member {{member_id}} left {_KIND}.", "member_left"),
    *(
        MessageTemplate(
            "static_member_away",
            _OF_GROUP + f"Static {member} {{member_id}} with instance id {{instance_id}} temporarily left {_KIND}.",
        )
        for member in ("member", "Member")
    ),
    *(
        MessageTemplate(
            "member_left",
            _OF_GROUP + f"Static {member} {{member_id}} with instance id {{instance_id}} left {_KIND}.",
            "member_left",
        )
        for member in ("member", "Member")
    ),
    MessageTemplate("member_expired", _FENCED_OUT + "the member session expired.", "session_timeout"),
    MessageTemplate(
        "member_evicted",
        _FENCED_OUT + "it failed to transition from epoch {epoch} within {rebalance_timeout_ms}ms.",
        "rebalance_timeout",
    ),
    MessageTemplate(
        "member_evicted",
        _FENCED_OUT + "the classic member failed to join within the rebalance timeout.",
        "rebalance_timeout",
    ),
    MessageTemplate("member_evicted", _FENCED_OUT + "the member failed to sync within timeout.", "sync_timeout"),
    *(
        MessageTemplate(
            "member_fenced",
            _OF_GROUP + f"Static {member} {{member_id}} with instance id {{instance_id}} {problem}",
            "static_member_changed",
        )
        for member in ("member", "Member")
        for problem in (
            "cannot join the group because the instance id is owned by member {current_member_id}.",
            "cannot join the group because the instance id is is owned by member {current_member_id}.",
            "is fenced by existing member {current_member_id}.",
        )
    ),
    MessageTemplate(
        "regex_refreshed",
        _OF_GROUP + "Scanned {topic_count} topics to refresh regular expressions {expressions} in {duration_ms}ms.",
    ),
    *(
        MessageTemplate("group_converted", _OF_GROUP + f"Converted the {old} group to a {{group_kind}} group.")
        for old in ("empty {old_group_kind}", "{old_group_kind}")
    ),
    MessageTemplate(
        "conversion_refused", "Cannot upgrade classic group {group_id} to {group_kind} group because {reason_text}."
    ),
    MessageTemplate(
        "conversion_refused",
        "Cannot downgrade {old_group_kind} group {group_id} to classic group because {reason_text}.",
    ),
    MessageTemplate(
        "conversion_refused",
        "Cannot join the {group_kind} group {group_id} with the classic protocol because {reason_text}.",
    ),
)

_OF_MEMBER = "[GroupId {group_id}][MemberId {member_id}] "
STREAMS = (
    MessageTemplate("member_joined", _OF_GROUP + f"Member joins {_KIND}.", "member_joined"),
    MessageTemplate(
        "member_joined", _OF_MEMBER + "Member {instance_id} joins the {group_kind} group.", "member_joined"
    ),
    MessageTemplate("streams_member_changed", _OF_MEMBER + "{change}"),
)
