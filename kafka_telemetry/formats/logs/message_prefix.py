"""Splits messages into a prefix with ids, such as `[Consumer clientId=a, groupId=g] `, and the body behind it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs.arrow_masks import byte_lengths, mask
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.template_match_fast import compile_templates, match_fast
from kafka_telemetry.formats.text_bytes import substrings, substrings_of_rows

_BODY = "body"


class PrefixedMessages(NamedTuple):
    """The messages that have the prefix, marked in `matched`: their ids and their bodies."""

    matched: Flags
    ids: dict[str, list[tuple[Integers, pa.Array]]]
    """Values by id, with their positions among the matched messages. An empty id is null."""
    bodies: pa.StringArray


SplitPrefix = Callable[[pa.StringArray], PrefixedMessages]


def prefix_by_pattern(pattern: str, *, needs_twice: str = "") -> SplitPrefix:
    """Splits off what the group `prefix` of a pattern matches; its other groups are ids.

    Only messages that contain `needs_twice` at least twice are tried.
    """

    def split(messages: pa.StringArray) -> PrefixedMessages:
        if not needs_twice:
            return split_all(messages)
        is_likely = mask(pc.greater_equal(pc.count_substring(messages, needs_twice), 2))
        if is_likely.all():
            return split_all(messages)
        found = split_all(messages.filter(pa.array(is_likely)))
        matched = np.zeros(len(messages), dtype=bool)
        matched[is_likely] = found.matched
        return found._replace(matched=matched)

    def split_all(messages: pa.StringArray) -> PrefixedMessages:
        found = pc.extract_regex(messages, pattern)
        matched = mask(found.is_valid())
        found, prefixed = found.drop_null(), messages.filter(pa.array(matched))
        ids = {field.name: pc.struct_field(found, field.name) for field in found.type}
        body_start = byte_lengths(ids.pop("prefix"))
        all_positions = np.arange(len(prefixed))
        return PrefixedMessages(
            matched,
            {name: [(all_positions, _null_if_empty(values))] for name, values in ids.items()},
            substrings(prefixed, body_start, byte_lengths(prefixed)),
        )

    return split


def prefix_by_templates(*texts: str, otherwise: SplitPrefix) -> SplitPrefix:
    """Splits off prefixes of these templates in compiled code, and all others by the slower way `otherwise`.

    An id ends where the text that follows it is first found. Both ways agree on the prefixes that are found here.
    """
    templates = [MessageTemplate("prefix", f"{text}{{{_BODY}}}") for text in texts]
    compiled_templates = compile_templates(templates)

    def split(messages: pa.StringArray) -> PrefixedMessages:
        found = match_fast(compiled_templates, messages)
        matched = found.template >= 0
        rows = np.flatnonzero(matched)
        body_start = np.zeros(len(rows), dtype=np.int32)
        ids: dict[str, list[tuple[Integers, pa.Array]]] = {}
        for number, template in enumerate(templates):
            positions = np.flatnonzero(found.template[rows] == number)
            if not len(positions):
                continue
            of_template = rows[positions]
            for place, name in enumerate(template.fields):
                begin, end = found.begins[of_template, place], found.ends[of_template, place]
                if name == _BODY:
                    body_start[positions] = begin
                else:
                    values = substrings_of_rows(messages, of_template, begin, end)
                    ids.setdefault(name, []).append((positions, _null_if_empty(values)))
        bodies = substrings_of_rows(messages, rows, body_start, byte_lengths(messages)[rows])
        if matched.all():
            return PrefixedMessages(matched, ids, bodies)
        return _joined(PrefixedMessages(matched, ids, bodies), otherwise(messages.filter(pa.array(~matched))))

    return split


def _null_if_empty(values: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(values, ""), None, values)


def _joined(first: PrefixedMessages, second: PrefixedMessages) -> PrefixedMessages:
    """The second result is of the messages that the first one did not match."""
    matched = first.matched.copy()
    matched[~first.matched] = second.matched
    position = np.cumsum(matched) - 1
    of_first, of_second = position[first.matched], position[np.flatnonzero(~first.matched)[second.matched]]
    ids = {
        name: [
            *((of_first[positions], values) for positions, values in first.ids.get(name, [])),
            *((of_second[positions], values) for positions, values in second.ids.get(name, [])),
        ]
        for name in first.ids.keys() | second.ids.keys()
    }
    order = np.argsort(np.concatenate([of_first, of_second]))
    return PrefixedMessages(matched, ids, pa.concat_arrays([first.bodies, second.bodies]).take(pa.array(order)))
