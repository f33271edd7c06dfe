"""The reason that one log line gives, as one of the project's reasons: silver.group_events.reason.

A line quotes up to two reasons: the broker's own, and the one that the client sent with its request. The client's
counts where it is more specific: to the broker, a member whose poll interval ran out leaves like any other. Texts that
only describe how joining works are no reasons. Where a line quotes no reason, that of its template counts.

The reason of a rebalance, of which many lines may report, is decided by groups/history/rebalance_reason.py.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.captures import Captures
from kafka_telemetry.formats.logs.message_template import UUID, MessageTemplate
from kafka_telemetry.formats.logs.template_match import NO_TEMPLATE, TemplateMatcher


def _reason(text: str, reason: str, field_patterns: dict[str, str] | None = None) -> MessageTemplate:
    return MessageTemplate("preparing_rebalance", text, reason, field_patterns or {})


def _with_client_reason(text: str, reason: str) -> tuple[MessageTemplate, MessageTemplate]:
    return _reason(text + "; client reason: {client_reason}", reason), _reason(text, reason)


_EXPLICIT = "explicit `LeaveGroup` request for "
# What a broker prints behind `(reason: ` in its line "Preparing to rebalance".
BROKER_REASONS: tuple[MessageTemplate, ...] = (
    *_with_client_reason("Adding new member {member_id} with group instance id {instance_id}", "member_joined"),
    _reason("Adding new member {member_id} with group instanceid {instance_id}", "member_joined"),
    *_with_client_reason("Member {member_id} is joining group during {during_state}", "member_joined"),
    *_with_client_reason("Member {member_id} joining group during {during_state}", "member_joined"),
    *_with_client_reason(
        "Updating metadata for member {member_id} during {during_state}", "subscription_or_topics_changed"
    ),
    # Up to 2.5 also of a leader that rejoins.
    _reason("Updating metadata for member {member_id}", "subscription_or_topics_changed"),
    *_with_client_reason("Leader {member_id} re-joining group during {during_state}", "leader_rejoined"),
    *_with_client_reason("leader {member_id} re-joining group during {during_state}", "leader_rejoined"),
    *_with_client_reason(
        "Updating metadata for static member {member_id} with instance id {instance_id}", "static_member_changed"
    ),
    *_with_client_reason(
        "Group's selectedProtocol will change because static member {member_id} with instance id {instance_id} "
        "joined with change of protocol",
        "static_member_changed",
    ),
    *_with_client_reason("Removing member {member_id} on LeaveGroup", "member_left"),
    *_with_client_reason("removing member {member_id} on LeaveGroup", "member_left"),
    _reason(_EXPLICIT + "({member_id}) members.", "member_left", {"member_id": "[^,]+"}),
    # An id may contain a comma: only its random part ends it.
    _reason(_EXPLICIT + "({member_ids}) members.", "member_left", {"member_ids": f".*?-{UUID}, .*-{UUID}"}),
    _reason(_EXPLICIT + "({member_id}) members.", "member_left", {"member_id": f".*-{UUID}"}),
    _reason(_EXPLICIT + "({member_ids}) members.", "member_left"),
    _reason("removing member {member_id} on heartbeat expiration.", "session_timeout"),
    _reason("removing member {member_id} on heartbeat expiration", "session_timeout"),
    _reason("Removing {member_ids} on pending sync request expiration.", "sync_timeout"),
    _reason("Removing {member_ids} on pending sync request expiration", "sync_timeout"),
    *(
        _reason(
            f"Error {{error}} when storing group assignment{gap}during SyncGroup (member: {{member_id}}){end}",
            "unknown",
        )
        for gap in (" ", "")
        for end in (".", "")
    ),
    *(
        _reason(f"{error} when storing group assignment during SyncGroup (member: {{member_id}})", "unknown")
        for error in ("error", "Error")
    ),
    _reason("Freshly-loaded group is over capacity ({max_size}). {advice}", "unknown", {"max_size": ".*?"}),
    _reason(
        "Freshly-loaded group {over_capacity_group} (size {size}) is over capacity {max_size}. {advice}",
        "unknown",
    ),
    _reason("Downgrade group {downgraded_group} from consumer to classic for member leaving.", "member_left"),
    # Up to 4.0 however the last member of the consumer protocol ended.
    _reason("Downgrade group {downgraded_group} from consumer to classic.", "unknown"),
    _reason(
        "Downgrade group {downgraded_group} from consumer to classic for static member replacement with different "
        "subscription.",
        "static_member_changed",
    ),
)

# How the reason begins that a client sends to the broker, or prints in its own log. The first match counts.
CLIENT_REASONS: tuple[tuple[str, str], ...] = (
    (r"(?i)^consumer poll timeout has expired", "poll_interval"),
    (r"^the consumer is being closed", "member_left"),
    (r"^the consumer unsubscribed from all topics", "member_left"),
    (r"^consumer pro-actively leaving the group", "member_left"),
    (r"^cached metadata has changed", "subscription_or_topics_changed"),
    (r"^the assignment metadata has changed", "subscription_or_topics_changed"),
    (r"^(?:the )?subscription has changed", "subscription_or_topics_changed"),
    (r"^received assignment .*does not match the current subscription", "subscription_or_topics_changed"),
    (r"(?i)^need to revoke partitions", "partitions_revoked"),
    (r"^rebalance enforced by user", "enforced"),
)
# A Java consumer also sends this when it joins again, where it explains nothing.
_NO_REASON_TO_JOIN = r"^consumer pro-actively leaving the group"
# All other reasons that a Java consumer itself sends when it joins. Any other text comes from an application that
# enforced the rebalance.
_SENT_BY_CONSUMER = (
    r"^(?:$|not provided$|group is already rebalancing|need to re-join with the given member-id|encountered \S+ from "
    r"|offset commit failed since group is already rebalancing|rebalance failed due to |consumer pro-actively leaving)"
)
_REJOINS = pa.array(["leader_rejoined", "subscription_or_topics_changed"])
_BROKER_MATCHER = TemplateMatcher(BROKER_REASONS)


def reasons_of_lines(events: pa.StringArray, template_reasons: pa.StringArray, captures: Captures) -> pa.StringArray:
    length = len(events)
    text = captures.column("reason_text", length)
    rebalances = pc.fill_null(pc.equal(events, "preparing_rebalance"), False)
    reasons = pc.coalesce(_broker_reasons(text, np.flatnonzero(mask(rebalances)), captures), template_reasons)
    client_text = pc.if_else(rebalances, captures.column("client_reason", length), text)
    joins = pc.or_(
        pc.fill_null(pc.equal(events, "rejoin_requested"), False),
        pc.and_(rebalances, pc.fill_null(pc.not_equal(reasons, "member_left"), False)),
    )
    explains_nothing = pc.and_(joins, pc.fill_null(pc.match_substring_regex(client_text, _NO_REASON_TO_JOIN), False))
    client_reasons = _client_reasons(pc.if_else(explains_nothing, pa.scalar(None, pa.string()), client_text))
    rejoins = pc.and_(rebalances, pc.fill_null(pc.is_in(reasons, _REJOINS), False))
    sent_by_consumer = pc.fill_null(pc.match_substring_regex(client_text, _SENT_BY_CONSUMER), True)
    enforced = pc.if_else(pc.and_not(rejoins, sent_by_consumer), pa.scalar("enforced"), pa.scalar(None, pa.string()))
    return pc.coalesce(client_reasons, enforced, reasons)


def _broker_reasons(texts: pa.StringArray, rows: Integers, captures: Captures) -> pa.Array:
    matched = np.full(len(texts), NO_TEMPLATE, dtype=np.int32)
    _BROKER_MATCHER.match(texts.take(pa.array(rows)), rows, matched, captures)
    # NO_TEMPLATE, -1, indexes the last.
    reasons = np.array([*(template.reason for template in BROKER_REASONS), "unknown"], dtype=object)
    result = np.full(len(texts), None, dtype=object)
    result[rows] = reasons[matched[rows]]
    return pa.array(result, pa.string())


def _client_reasons(texts: pa.StringArray) -> pa.StringArray:
    """Null where no pattern matches. Many members send the same text, so each different text is matched once."""
    encoded = texts.dictionary_encode()
    reasons = pa.nulls(len(encoded.dictionary), pa.string())
    for pattern, reason in reversed(CLIENT_REASONS):
        reasons = pc.if_else(pc.match_substring_regex(encoded.dictionary, pattern), reason, reasons)
    return reasons.take(encoded.indices)
