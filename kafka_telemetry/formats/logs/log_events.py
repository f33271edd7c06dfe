"""What framed messages say: events, printed configurations, and lines of a coordinator that no wording knows."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs import consumer_config
from kafka_telemetry.formats.logs.arrow_masks import NO_ROW, Mask, Rows, lengths, mask, taken
from kafka_telemetry.formats.logs.rebalance_reasons import reason_of
from kafka_telemetry.formats.logs.template_match import NO_TEMPLATE, Captures, Found
from kafka_telemetry.formats.logs.template_routes import CONFIG, ROUTES, Route, routed
from kafka_telemetry.formats.text_bytes import first_line_lengths, substrings

_IDS = ("group_id", "member_id", "client_id", "instance_id")
_NUMBERS = ("generation", "offsets_partition")
_ID_SETTINGS = {"group_id": "group.id", "client_id": "client.id", "instance_id": "group.instance.id"}
_QUIET = pa.array(["DEBUG", "TRACE"])
_KINDS, _SIDES = pa.array(["event", "config", "unknown"]), pa.array(["client", "broker"])

_CONNECTOR = r"^\[[^|\]\n]+\|[^\]\n]+\] "

_LOGGER = r" \([\w$-]+(?:\.[\w$-]+)+(?::\d+)?\)$"

# The templates of all routes in a row.
_TEMPLATES = [template for route in ROUTES.values() for template in route.table.templates]
_FIRST = dict(zip(ROUTES, np.cumsum([0, *(len(route.table.templates) for route in ROUTES.values())]), strict=False))
_EVENTS = pa.array([template.event or None for template in _TEMPLATES], pa.string())
_REASONS = pa.array([template.reason for template in _TEMPLATES], pa.string())


class Said(NamedTuple):
    """Columns by name, one value a message that is kept; `rows` are their places among the messages given."""

    rows: Rows
    columns: dict[str, pa.Array]
    understood: int
    not_understood: int
    ignored: int


def said(frames: dict[str, pa.Array], layout: str, of_librdkafka: Mask) -> Said:
    message = _without_connector(_without_logger(pc.utf8_rtrim_whitespace(frames["message"])))
    length = len(message)
    routes, of_coordinator = routed(message, pc.fill_null(frames["logger"], ""), layout, of_librdkafka)
    captures = Captures()
    by_broker = np.zeros(length, dtype=bool)
    template = np.full(length, NO_ROW)
    for name, route in ROUTES.items():
        found = _matched(route, message, routes[name], captures)
        here = np.flatnonzero(found != NO_TEMPLATE)
        template[here] = _FIRST[name] + found[here]
        by_broker[routes[name]] = route.side == "broker"
    _name_handles(frames["client"], routes["librdkafka"], captures)
    settings = _settings(message, routes[CONFIG], captures)
    events = taken(_EVENTS, template)
    reason = reason_of(events, taken(_REASONS, template), captures)

    is_event, is_config = mask(pc.is_valid(events)), np.zeros(length, dtype=bool)
    is_config[routes[CONFIG]] = True
    quiet = mask(pc.is_in(pc.utf8_upper(pc.fill_null(frames["level"], "")), _QUIET))
    is_unknown = of_coordinator & (template == NO_ROW) & ~is_config & ~quiet
    rows = np.flatnonzero(is_event | is_config | is_unknown)
    columns = {
        "kind": _KINDS.take(pa.array(np.where(is_config, 1, np.where(is_unknown, 2, 0)))),
        "side": _SIDES.take(pa.array(by_broker.astype(np.int64))),
        "event": events,
        "reason": reason,
        "reason_text": captures.column("reason_text", length),
        "details": captures.maps((*_IDS, *_NUMBERS, "reason_text"), length),
        "settings": settings,
        "text": message,
        **{name: _named(captures.column(name, length)) for name in _IDS},
        # A broker knows no group without a name: one may be called null.
        "group_id": _group(captures.column("group_id", length), by_broker),
        **{name: _counted(captures.column(name, length)) for name in _NUMBERS},
    }
    return Said(
        rows,
        {name: column.take(pa.array(rows)) for name, column in columns.items()},
        understood=int((is_event | is_config).sum()),
        not_understood=int(is_unknown.sum()),
        ignored=length - len(rows),
    )


def _without_logger(message: pa.StringArray) -> pa.StringArray:
    """A layout that ends in the logger's name puts it behind the last line of what a message says on several."""
    if not pc.any(pc.match_substring(message, "\n (")).as_py():
        return message
    return pc.replace_substring_regex(message, r"\s*\n" + _LOGGER, "")


def _without_connector(message: pa.StringArray) -> pa.StringArray:
    """Kafka Connect puts the name of a connector before what its consumers say."""
    if not pc.any(pc.match_substring_regex(message, _CONNECTOR + r"\[Consumer ")).as_py():
        return message
    return pc.replace_substring_regex(message, _CONNECTOR + r"(\[Consumer )", r"\1")


def _matched(route: Route, message: pa.StringArray, rows: Rows, captures: Captures) -> Found:
    """The template of each message. Most wordings are one line, and what follows it a stack trace; some are more."""
    found = np.full(len(message), NO_TEMPLATE, dtype=np.int32)
    whole = message.take(pa.array(rows))
    ends = first_line_lengths(whole)
    first_line = pc.utf8_rtrim_whitespace(substrings(whole, np.zeros_like(ends), ends))
    left = _unprefixed(route, first_line, rows, found, captures)
    longer = np.isin(rows, left) & (ends < lengths(whole))
    _unprefixed(route, whole.filter(pa.array(longer)), rows[longer], found, captures)
    return found


def _unprefixed(route: Route, texts: pa.StringArray, rows: Rows, found: Found, captures: Captures) -> Rows:
    """The rows that no wording knows behind any prefix."""
    left = np.arange(len(rows))
    for prefix in route.prefixes:
        if not len(left):
            break
        if prefix is None:
            left = left[route.table.match(texts.take(pa.array(left)), rows[left], found, captures)]
            continue
        here = texts.take(pa.array(left))
        opened = prefix(here)
        inside = left[opened.fits]
        unknown = route.table.match(opened.bodies, rows[inside], found, captures)
        for name, values in opened.ids.items():
            for places, value in values:
                captures.add(name, rows[inside[places]], value)
        left = np.concatenate([left[~opened.fits], inside[unknown]])
    return rows[left]


def _name_handles(names: pa.StringArray, rows: Rows, captures: Captures) -> None:
    """librdkafka calls its handles client.id#consumer-1."""
    name = names.take(pa.array(rows))
    captures.add("client_name", rows, name)
    captures.add("client_id", rows, pc.replace_substring_regex(name, r"#(?:consumer|producer)-\d+$", ""))


def _settings(message: pa.StringArray, rows: Rows, captures: Captures) -> pa.Array:
    maps = consumer_config.settings_of(message.take(pa.array(rows)))
    for name, key in _ID_SETTINGS.items():
        captures.add(name, rows, pc.map_lookup(maps, pa.scalar(key), "first"))
    at = np.full(len(message), NO_ROW)
    at[rows] = np.arange(len(rows))
    return taken(maps, at)


def _named(ids: pa.Array) -> pa.Array:
    """A client without a group prints groupId=null, one without a member id nothing."""
    return pc.if_else(pc.is_in(ids, pa.array(["null", ""])), None, ids)


def _group(names: pa.Array, by_broker: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(by_broker), pc.if_else(pc.equal(names, ""), None, names), _named(names))


def _counted(numbers: pa.Array) -> pa.Array:
    """-1 is how a client says that it has no generation."""
    wide = numbers.cast(pa.int64())
    lawful = pc.and_(pc.greater_equal(wide, 0), pc.less_equal(wide, 2**31 - 1))
    return pc.if_else(lawful, wide, None).cast(pa.int32())
