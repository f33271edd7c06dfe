"""Turns messages into log lines: events, printed configurations, and unknown lines of a group coordinator."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs import broker_config, consumer_config
from kafka_telemetry.formats.logs.arrow_masks import NO_ROW, byte_lengths, mask, take_or_null
from kafka_telemetry.formats.logs.captures import Captures
from kafka_telemetry.formats.logs.line_reasons import reasons_of_lines
from kafka_telemetry.formats.logs.message_template import INTEGER_BITS
from kafka_telemetry.formats.logs.template_match import NO_TEMPLATE, TemplateNumbers
from kafka_telemetry.formats.logs.template_sets import (
    BROKER_CONFIG,
    CONFIG,
    TEMPLATE_SETS,
    TemplateSet,
    choose_template_sets,
)
from kafka_telemetry.formats.text_bytes import first_line_lengths, substrings

_IDS = ("group_id", "member_id", "client_id", "instance_id")
_NUMBERS = ("generation", "offsets_partition")
_ID_SETTINGS = {"group_id": "group.id", "client_id": "client.id", "instance_id": "group.instance.id"}
_DEBUG_LEVELS = pa.array(["DEBUG", "TRACE"])

_CONNECTOR = r"^\[[^|\]\n]+\|[^\]\n]+\] "
_LOGGER_AT_END = r" \([\w$-]+(?:\.[\w$-]+)+(?::\d+)?\)$"

# The templates of all sets in a row.
_TEMPLATES = [template for template_set in TEMPLATE_SETS.values() for template in template_set.matcher.templates]
_SET_SIZES = [len(template_set.matcher.templates) for template_set in TEMPLATE_SETS.values()]
_FIRST_TEMPLATE = dict(zip(TEMPLATE_SETS, np.cumsum([0, *_SET_SIZES]), strict=False))
_EVENTS = pa.array([template.event or None for template in _TEMPLATES], pa.string())
_REASONS = pa.array([template.reason for template in _TEMPLATES], pa.string())


class ExtractedLines(NamedTuple):
    """The log lines as columns. `rows` are their places among the messages; all other messages are ignored."""

    rows: Integers
    columns: dict[str, pa.Array]
    understood: int
    not_understood: int
    ignored: int


def extract_lines(parts: dict[str, pa.Array], layout: str, of_librdkafka: Flags) -> ExtractedLines:
    """`parts` holds the message, level, logger and client of each entry."""
    message = _without_connector(_without_logger(pc.utf8_rtrim_whitespace(parts["message"])))
    length = len(message)
    rows_of_set, of_coordinator = choose_template_sets(
        message, pc.fill_null(parts["logger"], ""), layout, of_librdkafka
    )
    captures = Captures()
    by_broker = np.zeros(length, dtype=bool)
    template = np.full(length, NO_ROW)
    for name, template_set in TEMPLATE_SETS.items():
        number = _match(template_set, message, rows_of_set[name], captures)
        matched = np.flatnonzero(number != NO_TEMPLATE)
        template[matched] = _FIRST_TEMPLATE[name] + number[matched]
        by_broker[rows_of_set[name]] = template_set.side == "broker"
    _capture_handles(parts["client"], rows_of_set["librdkafka"], captures)
    settings = _settings(message, rows_of_set[CONFIG], captures)
    broker_config.capture_settings(message, rows_of_set[BROKER_CONFIG], captures)
    by_broker[rows_of_set[BROKER_CONFIG]] = True
    event = _with_broker_config(take_or_null(_EVENTS, template), rows_of_set[BROKER_CONFIG])
    reason = reasons_of_lines(event, take_or_null(_REASONS, template), captures)

    # Before a column is made of them: no later step has to fear a number.
    is_impossible = captures.rows_with_impossible_integers(INTEGER_BITS, length)
    if is_impossible.any():
        captures.drop(is_impossible, kept_fields=_IDS)
        event, reason = (pc.if_else(pa.array(is_impossible), None, column) for column in (event, reason))

    is_event, is_config = mask(pc.is_valid(event)), np.zeros(length, dtype=bool)
    is_config[rows_of_set[CONFIG]] = True
    is_debug = mask(pc.is_in(pc.utf8_upper(pc.fill_null(parts["level"], "")), _DEBUG_LEVELS))
    is_unknown = (of_coordinator & (template == NO_ROW) & ~is_config & ~is_debug) | is_impossible
    rows = np.flatnonzero(is_event | is_config | is_unknown)
    columns = {
        "kind": pc.if_else(pa.array(is_config), "config", pc.if_else(pa.array(is_unknown), "unknown", "event")),
        "side": pc.if_else(pa.array(by_broker), "broker", "client"),
        "event": event,
        "reason": reason,
        "reason_text": captures.column("reason_text", length),
        "details": captures.maps((*_IDS, *_NUMBERS, "reason_text"), length),
        "settings": settings,
        "text": message,
        **{name: _null_if_unnamed(captures.column(name, length)) for name in _IDS},
        "group_id": _group_id(captures.column("group_id", length), by_broker),
        **{name: _null_if_negative(captures.column(name, length)) for name in _NUMBERS},
    }
    return ExtractedLines(
        rows,
        {name: column.take(pa.array(rows)) for name, column in columns.items()},
        understood=int((is_event | is_config).sum()),
        not_understood=int(is_unknown.sum()),
        ignored=length - len(rows),
    )


def _without_logger(message: pa.StringArray) -> pa.StringArray:
    """Strips the logger's name that some layouts put behind the last line of a message of several lines."""
    if not pc.any(pc.match_substring(message, "\n (")).as_py():
        return message
    return pc.replace_substring_regex(message, r"\s*\n" + _LOGGER_AT_END, "")


def _without_connector(message: pa.StringArray) -> pa.StringArray:
    """Strips the name of the connector that Kafka Connect puts in front of the messages of its consumers."""
    if not pc.any(pc.match_substring_regex(message, _CONNECTOR + r"\[Consumer ")).as_py():
        return message
    return pc.replace_substring_regex(message, _CONNECTOR + r"(\[Consumer )", r"\1")


def _match(template_set: TemplateSet, message: pa.StringArray, rows: Integers, captures: Captures) -> TemplateNumbers:
    """The template of each message.

    Most templates are one line, and what follows it in a message is a stack trace; a few are several lines.
    """
    matched = np.full(len(message), NO_TEMPLATE, dtype=np.int32)
    whole = message.take(pa.array(rows))
    ends = first_line_lengths(whole)
    first_line = pc.utf8_rtrim_whitespace(substrings(whole, np.zeros_like(ends), ends))
    unmatched = _match_behind_prefixes(template_set, first_line, rows, matched, captures)
    has_more_lines = np.isin(rows, unmatched) & (ends < byte_lengths(whole))
    longer = whole.filter(pa.array(has_more_lines))
    _match_behind_prefixes(template_set, longer, rows[has_more_lines], matched, captures)
    return matched


def _match_behind_prefixes(
    template_set: TemplateSet, texts: pa.StringArray, rows: Integers, matched: TemplateNumbers, captures: Captures
) -> Integers:
    """Returns the rows that match no template behind any prefix of the set."""
    unmatched = np.arange(len(rows))
    for split_prefix in template_set.prefixes:
        if not len(unmatched):
            break
        here = texts.take(pa.array(unmatched))
        if split_prefix is None:
            unmatched = unmatched[template_set.matcher.match(here, rows[unmatched], matched, captures)]
            continue
        found = split_prefix(here)
        prefixed = unmatched[found.matched]
        unknown = template_set.matcher.match(found.bodies, rows[prefixed], matched, captures)
        for name, parts in found.ids.items():
            for positions, values in parts:
                captures.add(name, rows[prefixed[positions]], values)
        unmatched = np.concatenate([unmatched[~found.matched], prefixed[unknown]])
    return rows[unmatched]


def _capture_handles(client: pa.StringArray, rows: Integers, captures: Captures) -> None:
    """librdkafka names its handles client.id#consumer-1."""
    name = client.take(pa.array(rows))
    captures.add("client_name", rows, name)
    captures.add("client_id", rows, pc.replace_substring_regex(name, r"#(?:consumer|producer)-\d+$", ""))


def _settings(message: pa.StringArray, rows: Integers, captures: Captures) -> pa.Array:
    """The settings of the printed configurations at these rows; null for all other messages."""
    maps = consumer_config.parse_settings(message.take(pa.array(rows)))
    for name, key in _ID_SETTINGS.items():
        captures.add(name, rows, pc.map_lookup(maps, pa.scalar(key), "first"))
    source = np.full(len(message), NO_ROW)
    source[rows] = np.arange(len(rows))
    return take_or_null(maps, source)


def _with_broker_config(event: pa.Array, rows: Integers) -> pa.Array:
    is_config = np.zeros(len(event), dtype=bool)
    is_config[rows] = True
    return pc.if_else(pa.array(is_config), broker_config.EVENT, event)


def _null_if_unnamed(ids: pa.Array) -> pa.Array:
    """A client without a group prints groupId=null; without a member id it prints nothing."""
    return pc.if_else(pc.is_in(ids, pa.array(["null", ""])), None, ids)


def _group_id(ids: pa.Array, by_broker: Flags) -> pa.Array:
    """A broker knows no group without a name, so `null` in its log is the name of a group."""
    return pc.if_else(pa.array(by_broker), pc.if_else(pc.equal(ids, ""), None, ids), _null_if_unnamed(ids))


def _null_if_negative(numbers: pa.Array) -> pa.Array:
    """A client prints -1 when it has no generation."""
    numbers = numbers.cast(pa.int32())
    return pc.if_else(pc.greater_equal(numbers, 0), numbers, None)
