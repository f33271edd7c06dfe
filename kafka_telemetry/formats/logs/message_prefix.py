"""What stands before the words of a message: cut off, and its ids kept."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import Mask, Rows, lengths, mask
from kafka_telemetry.formats.logs.message_template import Template
from kafka_telemetry.formats.logs.template_match_fast import program, run
from kafka_telemetry.formats.text_bytes import substrings, substrings_of_rows

_BODY = "body"


class Opened(NamedTuple):
    """Of the messages that fit: the ids, null where there is none, and what stands behind."""

    fits: Mask
    ids: dict[str, list[tuple[Rows, pa.Array]]]
    """By name, with the places among those that fit."""
    bodies: pa.StringArray


Prefix = Callable[[pa.StringArray], Opened]


def by_pattern(pattern: str, *, twice: str = "") -> Prefix:
    """Its group `opening` is what is cut off. `twice` has to stand in a message twice, or it can't fit."""

    def opened(messages: pa.StringArray) -> Opened:
        if twice:
            hopeful = mask(pc.greater_equal(pc.count_substring(messages, twice), 2))
            if not hopeful.all():
                found = opened_all(messages.filter(pa.array(hopeful)))
                fits = np.zeros(len(messages), dtype=bool)
                fits[hopeful] = found.fits
                return found._replace(fits=fits)
        return opened_all(messages)

    def opened_all(messages: pa.StringArray) -> Opened:
        found = pc.extract_regex(messages, pattern)
        fits = mask(found.is_valid())
        found, behind = found.drop_null(), messages.filter(pa.array(fits))
        ids = {field.name: pc.struct_field(found, field.name) for field in found.type}
        begin = lengths(ids.pop("opening"))
        everywhere = np.arange(len(behind))
        return Opened(
            fits,
            {name: [(everywhere, pc.if_else(pc.equal(value, ""), None, value))] for name, value in ids.items()},
            substrings(behind, begin, lengths(behind)),
        )

    return opened


def by_words(*wordings: str, otherwise: Prefix) -> Prefix:
    """The quick way: an id ends where the words after it first stand. What it does not know is left to another way."""
    templates = [Template("prefix", f"{wording}{{{_BODY}}}") for wording in wordings]
    compiled = program(list(enumerate(templates)))

    def opened(messages: pa.StringArray) -> Opened:
        found, begins, ends = run(compiled, messages)
        fits = found >= 0
        rows = np.flatnonzero(fits)
        begin = np.zeros(len(rows), dtype=np.int32)
        ids: dict[str, list[tuple[Rows, pa.Array]]] = {}
        for number, template in enumerate(templates):
            here = np.flatnonzero(found[rows] == number)
            if not len(here):
                continue
            mine = rows[here]
            for place, name in enumerate(template.fields):
                if name == _BODY:
                    begin[here] = begins[mine, place]
                else:
                    value = substrings_of_rows(messages, mine, begins[mine, place], ends[mine, place])
                    ids.setdefault(name, []).append((here, pc.if_else(pc.equal(value, ""), None, value)))
        bodies = substrings_of_rows(messages, rows, begin, lengths(messages)[rows])
        if fits.all():
            return Opened(fits, ids, bodies)
        return _both(Opened(fits, ids, bodies), otherwise(messages.filter(pa.array(~fits))))

    return opened


def _both(known: Opened, other: Opened) -> Opened:
    fits = known.fits.copy()
    fits[~known.fits] = other.fits
    place = np.cumsum(fits) - 1
    of_known, of_other = place[known.fits], place[np.flatnonzero(~known.fits)[other.fits]]
    ids = {
        name: [
            *((of_known[places], values) for places, values in known.ids.get(name, [])),
            *((of_other[places], values) for places, values in other.ids.get(name, [])),
        ]
        for name in known.ids.keys() | other.ids.keys()
    }
    order = np.argsort(np.concatenate([of_known, of_other]))
    return Opened(fits, ids, pa.concat_arrays([known.bodies, other.bodies]).take(pa.array(order)))
