"""What stands before the words of a message: cut off, and its ids kept."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.wire.log_bytes import cut, cut_from
from spark_jobs.wire.log_columns import Mask, lengths, mask
from spark_jobs.wire.log_machine import program, run
from spark_jobs.wire.log_template import Template

_BODY = "body"


class Opened(NamedTuple):
    """Of the messages that fit: the ids, null where there is none, and what stands behind."""

    fits: Mask
    ids: dict[str, list[tuple[Mask, pa.Array]]]
    """By name, with the places among those that fit."""
    bodies: pa.StringArray


Prefix = Callable[[pa.StringArray], Opened]


def by_pattern(pattern: str) -> Prefix:
    """Its group `opening` is what is cut off."""

    def opened(messages: pa.StringArray) -> Opened:
        found = pc.extract_regex(messages, pattern)
        fits = mask(found.is_valid())
        found, behind = found.drop_null(), messages.filter(pa.array(fits))
        ids = {field.name: pc.struct_field(found, field.name) for field in found.type}
        begin = lengths(ids.pop("opening"))
        everywhere = np.ones(len(behind), dtype=bool)
        return Opened(
            fits,
            {name: [(everywhere, pc.if_else(pc.equal(value, ""), None, value))] for name, value in ids.items()},
            cut(behind, begin, lengths(behind)),
        )

    return opened


def by_words(*wordings: str) -> Prefix:
    """The quick way: an id ends where the words after it first stand."""
    templates = [Template("prefix", f"{wording}{{{_BODY}}}") for wording in wordings]
    compiled = program(list(enumerate(templates)))

    def opened(messages: pa.StringArray) -> Opened:
        found, begins, ends = run(compiled, messages)
        fits = found >= 0
        rows = np.flatnonzero(fits)
        begin = np.zeros(len(rows), dtype=np.int32)
        ids: dict[str, list[tuple[Mask, pa.Array]]] = {}
        for number, template in enumerate(templates):
            here = found[rows] == number
            mine = rows[here]
            if not len(mine):
                continue
            for place, name in enumerate(template.fields):
                if name == _BODY:
                    begin[here] = begins[mine, place]
                else:
                    value = cut_from(messages, mine, begins[mine, place], ends[mine, place])
                    ids.setdefault(name, []).append((here, pc.if_else(pc.equal(value, ""), None, value)))
        size = lengths(messages)[rows] if len(rows) else begin
        return Opened(fits, ids, cut_from(messages, rows, begin, size))

    return opened
