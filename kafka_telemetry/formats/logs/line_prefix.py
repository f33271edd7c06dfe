"""Splits the entries of a log into time, level, thread, logger, client and message.

Lines of the common layouts are split by the compiled twin, `line_prefix_fast`. The patterns split what it leaves over:
layouts that it does not know, and entries that deviate from them.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import byte_lengths, mask, with_rows_replaced
from kafka_telemetry.formats.logs.line_prefix_fast import LineParts, split_fast
from kafka_telemetry.formats.logs.log_layouts import LIBRDKAFKA_LAYOUT, LogLayout, layouts_with_same_start
from kafka_telemetry.formats.text_bytes import first_line_lengths, substrings

PARTS = ("time", "level", "thread", "logger", "client", "message")
_GROUP_NAME = re.compile(r"\(\?P<\w+>")


def split_entries(entries: pa.StringArray, layout: LogLayout) -> dict[str, pa.Array]:
    """Returns the parts as columns. Of an entry that matches no layout the whole text is the message."""
    out = {part: pa.nulls(len(entries), pa.string()) for part in PARTS} | {"message": entries}
    unmatched = np.arange(len(entries))
    for split in _splits(layout):
        if not len(unmatched):
            break
        found = split(entries if len(unmatched) == len(entries) else entries.take(pa.array(unmatched)))
        for part, values in found.parts.items():
            out[part] = with_rows_replaced(out[part], unmatched[found.matched], values)
        unmatched = unmatched[~found.matched]
    return out | {"thread": pc.utf8_trim_whitespace(out["thread"])}


def _splits(layout: LogLayout) -> Iterator[Callable[[pa.StringArray], LineParts]]:
    others = () if layout is LIBRDKAFKA_LAYOUT else (LIBRDKAFKA_LAYOUT,)
    for candidate in (*layouts_with_same_start(layout), *others):
        if candidate.prefix_elements:
            yield partial(split_fast, prefix=candidate.prefix_elements, logger_at_end=bool(candidate.suffix_pattern))
        for pattern in candidate.patterns:
            yield partial(split_by_pattern, pattern=pattern, suffix_pattern=candidate.suffix_pattern)


def split_by_pattern(entries: pa.StringArray, pattern: str, suffix_pattern: str) -> LineParts:
    """The pattern matches up to the message, unless it has a group of that name."""
    if "?P<message>" in pattern:
        start = first_line_lengths(entries)
        found = pc.extract_regex(pc.utf8_rtrim_whitespace(substrings(entries, np.zeros_like(start), start)), pattern)
    else:  # in two steps, since a pattern of few groups is matched much faster
        unnamed = _GROUP_NAME.sub("(?:", pattern)
        prefix = pc.struct_field(pc.extract_regex(entries, f"(?P<prefix>{unnamed})"), 0)
        start = byte_lengths(prefix)
        found = pc.extract_regex(prefix, f"{pattern}$") if "?P<" in pattern else prefix
    matched = mask(found.is_valid())
    parts = {field.name: pc.struct_field(found, field.name) for field in found.type} if "?P<" in pattern else {}
    if suffix_pattern:
        end, rest, suffix = _find_suffix(entries, suffix_pattern)
        matched &= mask(suffix.is_valid())
        parts |= {field.name: pc.struct_field(suffix, field.name) for field in suffix.type if field.name != "suffix"}
        following_lines = substrings(entries, rest, byte_lengths(entries))
        parts["message"] = pc.binary_join_element_wise(substrings(entries, start, end), following_lines, "")
    else:
        more = substrings(entries, start, byte_lengths(entries))
        parts["message"] = pc.binary_join_element_wise(parts["message"], more, "") if "message" in parts else more
    return LineParts(
        {part: values.filter(pa.array(matched)) for part, values in parts.items() if part in PARTS}, matched
    )


def _find_suffix(entries: pa.StringArray, suffix_pattern: str) -> tuple[Integers, Integers, pa.StructArray]:
    """Returns where the suffix begins and ends, and its groups: on the first line, or else at the end of the entry."""
    pattern = f"(?P<suffix>{suffix_pattern})"
    end = first_line_lengths(entries)
    suffix = pc.extract_regex(substrings(entries, np.zeros_like(end), end), pattern)
    others = np.flatnonzero(mask(suffix.is_null()))
    if len(others):
        whole = pc.utf8_rtrim_whitespace(entries.take(pa.array(others)))
        suffix = with_rows_replaced(suffix, others, pc.extract_regex(whole, pattern))
        end[others] = byte_lengths(whole)
    return end - byte_lengths(pc.struct_field(suffix, "suffix")), end, suffix
