"""Why a group rebalanced, in the few words of the project, from what broker and client say in many.

Where the client's own reason tells, it stands above the broker's: a member whose poll interval ran out leaves like any
other as far as the broker knows. Reasons that only repeat how a join works tell nothing.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.captures import Captures
from kafka_telemetry.formats.logs.message_template import UUID, MessageTemplate
from kafka_telemetry.formats.logs.template_match import NO_TEMPLATE, TemplateMatcher

_CLIENT = "; client reason: {client_reason}"


def _with_client(wording: str, reason: str) -> tuple[MessageTemplate, MessageTemplate]:
    return MessageTemplate("because", wording + _CLIENT, reason), MessageTemplate("", wording, reason)


# The text behind `(reason: ` of a broker's "Preparing to rebalance" line.
_EXPLICIT = "explicit `LeaveGroup` request for "
BROKER_REASONS: tuple[MessageTemplate, ...] = (
    *_with_client("Adding new member {member_id} with group instance id {instance_id}", "member_joined"),
    MessageTemplate("because", "Adding new member {member_id} with group instanceid {instance_id}", "member_joined"),
    *_with_client("Member {member_id} is joining group during {during_state}", "member_joined"),
    *_with_client("Member {member_id} joining group during {during_state}", "member_joined"),
    *_with_client("Updating metadata for member {member_id} during {during_state}", "subscription_or_topics_changed"),
    # Up to 2.5 of a leader that joins again too.
    MessageTemplate("because", "Updating metadata for member {member_id}", "subscription_or_topics_changed"),
    *_with_client("Leader {member_id} re-joining group during {during_state}", "leader_rejoined"),
    *_with_client("leader {member_id} re-joining group during {during_state}", "leader_rejoined"),
    *_with_client(
        "Updating metadata for static member {member_id} with instance id {instance_id}", "static_member_changed"
    ),
    *_with_client(
        "Group's selectedProtocol will change because static member {member_id} with instance id {instance_id} "
        "joined with change of protocol",
        "static_member_changed",
    ),
    *_with_client("Removing member {member_id} on LeaveGroup", "member_left"),
    *_with_client("removing member {member_id} on LeaveGroup", "member_left"),
    MessageTemplate("because", _EXPLICIT + "({member_id}) members.", "member_left", {"member_id": "[^,]+"}),
    # An id may hold a comma too: what ends one is its random part.
    MessageTemplate(
        "because", _EXPLICIT + "({member_ids}) members.", "member_left", {"member_ids": f".*?-{UUID}, .*-{UUID}"}
    ),
    MessageTemplate("because", _EXPLICIT + "({member_id}) members.", "member_left", {"member_id": f".*-{UUID}"}),
    MessageTemplate("because", _EXPLICIT + "({member_ids}) members.", "member_left"),
    MessageTemplate("because", "removing member {member_id} on heartbeat expiration.", "session_timeout"),
    MessageTemplate("because", "removing member {member_id} on heartbeat expiration", "session_timeout"),
    MessageTemplate("because", "Removing {member_ids} on pending sync request expiration.", "sync_timeout"),
    MessageTemplate("because", "Removing {member_ids} on pending sync request expiration", "sync_timeout"),
    *(
        MessageTemplate(
            "because",
            f"Error {{error}} when storing group assignment{gap}during SyncGroup (member: {{member_id}}){end}",
            "unknown",
        )
        for gap in (" ", "")
        for end in (".", "")
    ),
    *(
        MessageTemplate(
            "because", f"{error} when storing group assignment during SyncGroup (member: {{member_id}})", "unknown"
        )
        for error in ("error", "Error")
    ),
    MessageTemplate(
        "because", "Freshly-loaded group is over capacity ({max_size}). {advice}", "unknown", {"max_size": ".*?"}
    ),
    MessageTemplate(
        "",
        "Freshly-loaded group {over_capacity_group} (size {size}) is over capacity {max_size}. {advice}",
        "unknown",
    ),
    MessageTemplate(
        "because", "Downgrade group {downgraded_group} from consumer to classic for member leaving.", "member_left"
    ),
    # Up to 4.0 whatever ended the last member of the new protocol.
    MessageTemplate("", "Downgrade group {downgraded_group} from consumer to classic.", "unknown"),
    MessageTemplate(
        "",
        "Downgrade group {downgraded_group} from consumer to classic for static member replacement with different "
        "subscription.",
        "static_member_changed",
    ),
)

# What a client gives as its reason, on the wire or in its own log. The first that is found counts.
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
# True of one who joins, and silent about why it does.
_SILENT_ON_JOIN = r"^consumer pro-actively leaving the group"
# All else that a Java consumer says by itself when it joins: other words are those of an application that enforced it.
_OWN_WORDS = (
    r"^(?:$|not provided$|group is already rebalancing|need to re-join with the given member-id|encountered \S+ from "
    r"|offset commit failed since group is already rebalancing|rebalance failed due to |consumer pro-actively leaving)"
)
_REJOINS = pa.array(["leader_rejoined", "subscription_or_topics_changed"])
_TABLE = TemplateMatcher(BROKER_REASONS)


def reason_of(events: pa.StringArray, told: pa.StringArray, captures: Captures) -> pa.StringArray:
    """What the wording itself tells of the reason (`told`), unless the words that it quotes tell more."""
    length = len(events)
    text = captures.column("reason_text", length)
    rebalances = pc.fill_null(pc.equal(events, "preparing_rebalance"), False)
    told = pc.coalesce(_brokers_reason(text, np.flatnonzero(mask(rebalances)), captures), told)
    quoted = pc.if_else(rebalances, captures.column("client_reason", length), text)
    joins = pc.or_(
        pc.fill_null(pc.equal(events, "rejoin_requested"), False),
        pc.and_(rebalances, pc.fill_null(pc.not_equal(told, "member_left"), False)),
    )
    silent = pc.and_(joins, pc.fill_null(pc.match_substring_regex(quoted, _SILENT_ON_JOIN), False))
    telling = pc.if_else(silent, pa.scalar(None, pa.string()), quoted)
    rejoins = pc.and_(rebalances, pc.fill_null(pc.is_in(told, _REJOINS), False))
    own_words = pc.fill_null(pc.match_substring_regex(quoted, _OWN_WORDS), True)
    enforced = pc.if_else(pc.and_not(rejoins, own_words), pa.scalar("enforced"), pa.scalar(None, pa.string()))
    return pc.coalesce(_clients_reason(telling), enforced, told)


def _brokers_reason(texts: pa.StringArray, rows: Integers, captures: Captures) -> pa.Array:
    found = np.full(len(texts), NO_TEMPLATE, dtype=np.int32)
    _TABLE.match(texts.take(pa.array(rows)), rows, found, captures)
    reasons = np.array([*(template.reason for template in BROKER_REASONS), "unknown"], dtype=object)
    out = np.full(len(texts), None, dtype=object)
    out[rows] = reasons[found[rows]]  # NO_TEMPLATE is the last
    return pa.array(out, pa.string())


def _clients_reason(said: pa.StringArray) -> pa.StringArray:
    """Null where a client's words tell none. Many members say the same."""
    words = said.dictionary_encode()
    out = pa.nulls(len(words.dictionary), pa.string())
    for pattern, reason in reversed(CLIENT_REASONS):
        out = pc.if_else(pc.match_substring_regex(words.dictionary, pattern), reason, out)
    return out.take(words.indices)
