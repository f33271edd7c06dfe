"""What framed messages say: by their logger or prefix they go to the templates of broker, Java consumer or another
client, and come back as events, printed configurations, and lines of a coordinator that no template knows.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.wire import consumer_config
from spark_jobs.wire.broker_events import BROKER_TEMPLATES
from spark_jobs.wire.client_events import CLIENT_TEMPLATES
from spark_jobs.wire.log_match import NO_TEMPLATE, Captures, Rows, Table
from spark_jobs.wire.other_clients import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA
from spark_jobs.wire.reasons import BROKER_REASONS, client_reason, joiners_reason

_IDS = ("group_id", "member_id", "client_id", "instance_id")
_NUMBERS = ("generation", "offsets_partition")
_PUBLIC = (*_IDS, *_NUMBERS, "reason_text")

# Simple names of classes, since a layout may print no more than these.
_BROKER_LOGGERS = (
    r"^(?:.*\.)?(?:GroupCoordinator|GroupMetadataManager|GroupMetadata\$?|GroupCoordinatorShard|OffsetMetadataManager"
    r"|ClassicGroup|GroupCoordinatorService|GroupCoordinatorAdapter)$"
)
# These serve other coordinators too, so only what carries the group coordinator's prefix counts as its line.
_SHARED_LOGGERS = r"^(?:.*\.)?(?:CoordinatorRuntime|MultiThreadedEventProcessor(?:\$EventProcessorThread)?)$"
_CLIENT_COORDINATORS = (
    r"^(?:.*\.)?(?:ConsumerCoordinator|AbstractCoordinator|ConsumerMembershipManager|ShareMembershipManager"
    r"|AbstractMembershipManager|CoordinatorRequestManager|ConsumerHeartbeatRequestManager"
    r"|ShareHeartbeatRequestManager|AbstractHeartbeatRequestManager|HeartbeatRequestManager|MembershipManagerImpl"
    r"|CommitRequestManager|ConsumerRebalanceListenerInvoker)(?:\$\w+)?$"
)
_CLIENT_LOGGERS = r"^(?:.*\.)?(?:ConsumerUtils|AbstractStickyAssignor|SubscriptionState)$"
_PYTHON_LOGGERS = r"^(?:kafka\.coordinator(?:\.(?:base|consumer|heartbeat))?|aiokafka\.consumer\.group_coordinator)$"

_BROKER_PREFIX = (
    r"^\[(?:GroupCoordinator (?:id=)?|GroupMetadataManager brokerId=)(?P<broker_id>\d+)"
    r"(?: topic=__consumer_offsets partition=(?P<offsets_partition>\d+))?\]:? (?P<body>(?s:.*))$"
)
_CLIENT_OPENING = (
    r"^\[(?P<share>Share)?Consumer (?:instanceId=(?P<instance_id>(?s:.*?)), )?clientId=(?P<client_id>(?s:.*?)), "
)


class _Route(NamedTuple):
    side: str
    table: Table
    prefixes: tuple[str, ...]
    """Tried in turn; the body behind the prefix is what templates know. None: the message as it is."""


_CLIENT = Table(CLIENT_TEMPLATES)
_KNOWN_WORDS = "|".join(sorted(pc.replace_substring_regex(pa.array(_CLIENT.leads), r"([^\w ])", r"\\\1").to_pylist()))
_ROUTES = {
    "broker": _Route("broker", Table(BROKER_TEMPLATES), (_BROKER_PREFIX, "")),
    "consumer": _Route(
        "client",
        _CLIENT,
        (
            _CLIENT_OPENING + r"groupId=(?P<group_id>(?s:.*?))\](?: (?P<body>(?s:.*)))?$",
            _CLIENT_OPENING + rf"groupId=(?P<group_id>(?s:.*))\] (?P<body>(?:{_KNOWN_WORDS})(?s:.*))$",
        ),
    ),
    "consumer without prefix": _Route("client", _CLIENT, ("",)),
    "librdkafka": _Route("client", Table(LIBRDKAFKA), ("",)),
    "kafka-python": _Route("client", Table(KAFKA_PYTHON), ("",)),
    "franz-go": _Route("client", Table(FRANZ_GO), ("",)),
    "sarama": _Route("client", Table(SARAMA), ("",)),
}
_REASONS = Table(BROKER_REASONS)


class Said(NamedTuple):
    """Columns by name, one value a message that is kept; `rows` are their places among the messages given."""

    rows: Rows
    columns: dict[str, pa.Array]
    understood: int
    not_understood: int
    ignored: int


def said(frames: dict[str, pa.Array], layout: str, is_librdkafka: npt.NDArray[np.bool_]) -> Said:
    message = frames["message"]
    length = len(message)
    logger = pc.fill_null(frames["logger"], "")
    trimmed = pc.utf8_rtrim_whitespace(message)
    first_line = pc.utf8_rtrim_whitespace(pc.replace_substring_regex(trimmed, r"(?s)\n.*$", ""))

    def logged_by(pattern: str) -> npt.NDArray[np.bool_]:
        return _mask(pc.match_substring_regex(logger, pattern))

    of_consumer = _mask(pc.match_substring_regex(message, r"^\[(?:Share)?Consumer (?:instanceId|clientId)="))
    of_broker = _mask(pc.match_substring_regex(message, r"^\[(?:GroupCoordinator|GroupMetadataManager) (?:id=|brokerId=)?\d"))
    config = _mask(pc.match_substring_regex(message, consumer_config.OPENING))
    python = logged_by(_PYTHON_LOGGERS)
    broker_logger, client_coordinator = logged_by(_BROKER_LOGGERS), logged_by(_CLIENT_COORDINATORS)
    of_shared = logged_by(_SHARED_LOGGERS) & _mask(pc.match_substring_regex(message, r"^\[(?:Share|[Gg]roup|share)"))
    go = np.full(length, layout == "franz-go")
    sarama = np.full(length, layout == "sarama")
    taken = np.zeros(length, dtype=bool)
    route_of: dict[str, Rows] = {}
    for name, mask in (
        ("librdkafka", is_librdkafka),
        ("config", config),
        ("consumer", of_consumer),
        ("broker", of_broker | broker_logger | of_shared),
        ("kafka-python", python),
        ("consumer without prefix", client_coordinator | logged_by(_CLIENT_LOGGERS)),
        ("franz-go", go),
        ("sarama", sarama),
    ):
        route_of[name] = np.flatnonzero(mask & ~taken)
        taken |= mask
    if layout == "no known layout":
        route_of["consumer without prefix"] = np.flatnonzero(~taken)

    captures = Captures()
    side = np.full(length, "", dtype=object)
    event = np.full(length, None, dtype=object)
    told = np.full(length, None, dtype=object)
    known = np.zeros(length, dtype=bool)
    for name, route in _ROUTES.items():
        rows = route_of[name]
        if not len(rows):
            continue
        found = np.full(length, NO_TEMPLATE, dtype=np.int32)
        left = _match(route, first_line, rows, found, captures)
        spread = left[_mask(pc.not_equal(trimmed.take(pa.array(left)), first_line.take(pa.array(left))))]
        _match(route, trimmed, spread, found, captures)
        side[rows] = route.side
        here = np.flatnonzero(found != NO_TEMPLATE)
        known[here] = True
        event[here] = np.array([t.event or None for t in route.table.templates], dtype=object)[found[here]]
        told[here] = np.array([t.reason for t in route.table.templates], dtype=object)[found[here]]
    events = pa.array(event, pa.string())
    if len(rows := route_of["librdkafka"]):  # it names its handles client.id#consumer-n
        name = frames["client"].take(pa.array(rows))
        captures.add("client_name", rows, name)
        captures.add("client_id", rows, pc.replace_substring_regex(name, r"#(?:consumer|producer)-\d+$", ""))
    reason = _reasons(events, pa.array(told, pa.string()), captures, length)

    settings = pa.nulls(length, pa.map_(pa.string(), pa.string()))
    configs = route_of["config"]
    if len(configs):
        maps = consumer_config.settings_of(message.take(pa.array(configs)))
        at = np.full(length, NO_TEMPLATE, dtype=np.int64)
        at[configs] = np.arange(len(configs))
        settings = maps.take(pa.array(at, mask=at == NO_TEMPLATE))
        side[configs] = "client"
        for name, key in (("group_id", "group.id"), ("client_id", "client.id"), ("instance_id", "group.instance.id")):
            captures.add(name, configs, _nulled(pc.map_lookup(maps, pa.scalar(key), "first")))

    is_event = _mask(pc.is_valid(events))
    is_config = np.zeros(length, dtype=bool)
    is_config[configs] = True
    quiet = _mask(pc.is_in(pc.utf8_upper(pc.fill_null(frames["level"], "")), pa.array(["DEBUG", "TRACE"])))
    of_coordinator = of_broker | broker_logger | client_coordinator | python
    is_unknown = of_coordinator & ~known & ~is_config & ~quiet
    kept = np.flatnonzero(is_event | is_config | is_unknown)
    kind = np.where(is_config, "config", np.where(is_unknown, "unknown", "event"))

    columns: dict[str, pa.Array] = {
        "kind": pa.array(kind, pa.string()),
        "side": pa.array(np.where(side == "", "client", side), pa.string()),
        "event": events,
        "reason": reason,
        "reason_text": captures.column("reason_text", length),
        "details": captures.maps((*_PUBLIC, "body", "share"), length),
        "settings": settings,
        "text": trimmed,
    }
    for name in _IDS:
        columns[name] = _nulled(captures.column(name, length))
    for name in _NUMBERS:
        columns[name] = _int32(captures.column(name, length))
    at_kept = pa.array(kept)
    return Said(
        kept,
        {name: column.take(at_kept) for name, column in columns.items()},
        understood=int((is_event | is_config).sum()),
        not_understood=int(is_unknown.sum()),
        ignored=length - len(kept),
    )


def _match(
    route: _Route, messages: pa.StringArray, rows: Rows, found: npt.NDArray[np.int32], captures: Captures
) -> Rows:
    """The rows that no template knows."""
    for prefix in route.prefixes:
        if not len(rows):
            break
        here = messages.take(pa.array(rows))
        if not prefix:
            rows = rows[route.table.match(here, rows, found, captures)]
            continue
        cut = pc.extract_regex(here, prefix)
        fits = _mask(cut.is_valid())
        cut, inside = cut.drop_null(), rows[fits]
        left = route.table.match(pc.struct_field(cut, "body"), inside, found, captures)
        for name in (field.name for field in cut.type):
            if name not in ("body", "share"):
                value = pc.struct_field(cut, name)
                captures.add(name, inside, pc.if_else(pc.equal(value, ""), None, value))
        rows = np.concatenate([rows[~fits], inside[left]])
    return rows


def _reasons(events: pa.Array, told: pa.Array, captures: Captures, length: int) -> pa.Array:
    """The reason that the wording tells, unless the words that it quotes tell more."""
    reason_text = captures.column("reason_text", length)
    preparing = np.flatnonzero(_mask(pc.equal(events, "preparing_rebalance")))
    if len(preparing):
        found = np.full(length, NO_TEMPLATE, dtype=np.int32)
        _REASONS.match(reason_text.take(pa.array(preparing)), preparing, found, captures)
        names = np.array([t.reason for t in BROKER_REASONS] + ["unknown"], dtype=object)
        broker = np.full(length, None, dtype=object)
        broker[preparing] = names[found[preparing]]  # -1, no template, is the last
        told = pc.coalesce(pa.array(broker, pa.string()), told)
    quoted = pc.if_else(
        _filled(pc.equal(events, "preparing_rebalance")), captures.column("client_reason", length), reason_text
    )
    joins = pc.or_(
        _filled(pc.equal(events, "rejoin_requested")),
        pc.and_(_filled(pc.equal(events, "preparing_rebalance")), pc.invert(_filled(pc.equal(told, "member_left")))),
    )
    return pc.coalesce(pc.if_else(joins, joiners_reason(quoted), client_reason(quoted)), told)


def _filled(mask: pa.Array) -> pa.Array:
    return pc.fill_null(mask, False)


def _mask(values: pa.Array) -> npt.NDArray[np.bool_]:
    out: npt.NDArray[np.bool_] = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
    return out


def _nulled(ids: pa.Array) -> pa.Array:
    """A client without a group prints groupId=null, one without a member id nothing."""
    return pc.if_else(pc.is_in(ids, pa.array(["null", ""])), None, ids)


def _int32(numbers: pa.Array) -> pa.Array:
    """-1 is how a client says that it has no generation."""
    wide = numbers.cast(pa.int64())
    lawful = pc.and_(pc.greater_equal(wide, 0), pc.less_equal(wide, 2**31 - 1))
    return pc.if_else(lawful, wide, None).cast(pa.int32())


