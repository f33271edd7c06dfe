"""In which layout a log file is written, and what stands around the message of each of its lines.

A layout has a head, the shape of the first characters of a line that begins an entry (9 a digit, A a capital, ? any),
and a pattern that names time, level, thread, logger and message. All other lines belong to the entry before them.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import Mask, lengths, mask, spread
from kafka_telemetry.formats.logs.line_heads_fast import Head, Piece, opened
from kafka_telemetry.formats.text_bytes import first_line_lengths, substrings

PARTS = ("time", "level", "thread", "logger", "client", "message")


class Layout(NamedTuple):
    name: str
    head: str
    patterns: tuple[str, ...]
    closing: str = ""
    """What follows the message on its last line, where something does. Behind it there can be a stack trace."""
    quick: Head = ()
    """The first pattern once more, as the quick way knows it."""


_UNNAMED = re.compile(r"\(\?P<\w+>")

_CLOCK_AND_ZONE = r"[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?"
_DAY = rf"\d\d\d\d-\d\d-\d\d{_CLOCK_AND_ZONE}"
_SLASHED_DAY = rf"\d\d\d\d/\d\d/\d\d{_CLOCK_AND_ZONE}"
_NAMED_MONTH = rf"\d\d [A-Z][a-z]{{2}} \d\d\d\d{_CLOCK_AND_ZONE}"
_TIME = rf"(?P<time>{_DAY})"
_SLASHED_TIME = rf"(?P<time>{_SLASHED_DAY})"
_CLOCK = r"(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
_LEVEL = r"(?P<level>[A-Z]+)"
_LOGGER = r"(?P<logger>[\w.$-]+)"
# logback 1.3 and later print key-value pairs between two dashes, mostly none.
_DASH = r"(?: - | -- )"
_LOGGED_BY = (Piece.LOGGER, Piece.LINE_NUMBER, " - ")
_DATED, _BRACKETED, _TIMED = "9999-99-99?99:99", "[9999-99-99?", "99:99:99"
_SLASHED = "9999/99/99?99:99"

# A pattern ends where the message begins, unless it names the message itself.
LAYOUTS = (
    Layout(
        "kafka",
        _BRACKETED,
        (rf"^\[{_TIME}\] {_LEVEL} +",),
        rf"\s\({_LOGGER}(?::\d+)?\)[ \t\r]*$",
        ("[", Piece.TIME, "] ", Piece.LEVEL, Piece.BLANKS),
    ),
    Layout(
        "log4j",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +\[(?P<thread>[^\n\]]*)\] {_LOGGER}(?::\d+)? - ",
            rf"^{_TIME} +{_LEVEL} +\[(?P<thread>[^\n]*?)\] {_LOGGER}(?::\d+)?(?: - |: )",
        ),
        quick=(Piece.TIME, Piece.BLANKS, Piece.LEVEL, Piece.BLANKS, "[", Piece.THREAD, "] ", *_LOGGED_BY),
    ),
    Layout(
        "spring",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +\S* *--- (?:\[[^\n\]]*\] )?\[(?P<thread>[^\n\]]*)\] (?:\[[^\n\]]*\] )?"
            rf"{_LOGGER} *: ",
        ),
    ),
    Layout(
        "logback with a date",
        _DATED,
        (rf"^{_TIME} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)?{_DASH}",),
        quick=(Piece.TIME, " [", Piece.THREAD, "] ", Piece.LEVEL, Piece.BLANKS, *_LOGGED_BY),
    ),
    Layout(
        "logback",
        _TIMED,
        (rf"^{_CLOCK} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)?{_DASH}",),
        quick=(Piece.CLOCK, " [", Piece.THREAD, "] ", Piece.LEVEL, Piece.BLANKS, *_LOGGED_BY),
    ),
    Layout(
        "logger and thread last",
        _DATED,
        (rf"^{_TIME} +{_LEVEL} +",),
        rf"\s\({_LOGGER}\) \[(?P<thread>[^\n\[]*)\][ \t\r]*$",
    ),
    Layout("log4j without a thread", _DATED, (rf"^{_TIME} +{_LEVEL} +{_LOGGER}(?::\d+)? - ",)),
    Layout(
        "python",
        _DATED,
        (
            rf"^{_TIME} - {_LOGGER} - {_LEVEL} - ",
            rf"^{_TIME} {_LEVEL}:? +{_LOGGER}:? ",
            rf"^{_TIME} {_LOGGER}:? {_LEVEL}:? ",
        ),
    ),
    Layout("python without a time", "AA", (rf"^(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):{_LOGGER}:",)),
    Layout("json lines", "{", (r"^\{",)),
    Layout(
        "librdkafka",
        "%9|",
        (
            r"^%(?P<level>[0-7])\|(?P<time>\d+\.\d+)\|(?P<logger>[A-Z]+)\|(?P<client>[^|\n]*)\| "
            r"(?:\[thrd:(?P<thread>[^\n]*?)\]: )?",
        ),
    ),
    Layout("franz-go", "[A", (r"^\[(?P<level>DEBUG|INFO|WARN|ERROR)\] ",)),
    Layout("sarama", "", (r"^(?:\[sarama\] )?(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?) ",)),
)
# What a consumer or a coordinator says begins like this, wherever it stands in a line; a logger may stand behind it.
_SAID = (
    r"(?P<message>(?:\[(?:Share)?Consumer (?:clientId|instanceId)=|\[GroupCoordinator (?:id=)?\d|\[GroupMetadataManager "
    r"|(?:Share)?ConsumerConfig values:|Setting offset for partition |Final assignment of partitions to )[^\n]*?)"
    r"(?: \((?P<logger>[\w$-]+(?:\.[\w$-]+)+)(?::\d+)?\))?[ \t\r]*$"
)
_BEFORE = r"(?:[^\n]*?\b(?P<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)?[^\n]*?"
UNKNOWN = "no known layout"
# Lines of a site's own making that begin with their time.
DATED = (
    Layout(f"dated, {UNKNOWN}", _DATED, (rf"^{_TIME}{_BEFORE}{_SAID}", rf"^{_TIME}\W")),
    Layout(f"dated with slashes, {UNKNOWN}", _SLASHED, (rf"^{_SLASHED_TIME}{_BEFORE}{_SAID}", rf"^{_SLASHED_TIME}\W")),
    Layout(f"dated in brackets, {UNKNOWN}", _BRACKETED, (rf"^\[{_TIME}\]{_BEFORE}{_SAID}", rf"^\[{_TIME}\]\W*")),
)
LIBRDKAFKA = next(layout for layout in LAYOUTS if layout.name == "librdkafka")
# A file of no known layout: what matters may still be recognised by its wording.
BARE = Layout(
    UNKNOWN, "", (rf"^(?:[^\n]{{0,80}}?(?P<time>{_DAY}|{_SLASHED_DAY}|{_NAMED_MONTH}))?{_BEFORE}{_SAID}", r"^")
)


def recognised(lines: pa.StringArray, patterns: Mapping[str, str]) -> Layout:
    """The layout in which most of the lines are written; the site's own come first where they draw.

    A line or two of another kind are no layout: objects may be printed into any log.
    """
    layouts = [*(Layout(f"{name} of the site", "", (pattern,)) for name, pattern in patterns.items()), *LAYOUTS]
    best, most = BARE, 0
    for layout in layouts:
        found = np.zeros(len(lines), dtype=bool)
        for pattern in layout.patterns:
            found |= mask(pc.match_substring_regex(lines, pattern))
        if layout.closing:
            found &= mask(pc.match_substring_regex(lines, layout.closing))
        if found.sum() > most and (layout.name != "json lines" or 2 * found.sum() >= len(lines)):
            best, most = layout, int(found.sum())
    return _or_dated(best, most, lines)


def _or_dated(best: Layout, most: int, lines: pa.StringArray) -> Layout:
    """Where a time stands before far more lines than are in the layout, these are the entries."""
    for layout in DATED:
        found = int(mask(pc.match_substring_regex(lines, layout.patterns[-1])).sum())
        # sarama's lines are no more than a time and words: what has a Java client's or a broker's prefix is none of them.
        other = best.name == "sarama" and mask(pc.match_substring_regex(lines, layout.patterns[0])).any()
        if found > 2 * most or other:
            best, most = layout, found
    return best


def same_heads(layout: Layout) -> tuple[Layout, ...]:
    """The layouts that a line with this head can be in, the file's own first: libraries mix theirs in."""
    others = (other for other in LAYOUTS if layout.head and other.head == layout.head and other != layout)
    return (layout, *others)


def framed(entries: pa.StringArray, layout: Layout) -> dict[str, pa.Array]:
    """The parts of each entry, as far as its layout has them; an entry that fits none is all message."""
    out = {part: pa.nulls(len(entries), pa.string()) for part in PARTS} | {"message": entries}
    left = np.arange(len(entries))
    for candidate in (*same_heads(layout), *(() if layout is LIBRDKAFKA else (LIBRDKAFKA,))):
        for pattern in (*((None,) if candidate.quick else ()), *candidate.patterns):
            if len(left):
                here = entries if len(left) == len(entries) else entries.take(pa.array(left))
                if pattern is None:
                    parts, fits = opened(here, candidate.quick, closed=bool(candidate.closing))
                else:
                    parts, fits = _parts(here, pattern, candidate.closing)
                for part, values in parts.items():
                    out[part] = spread(out[part], left[fits], values)
                left = left[~fits]
    return out | {"thread": pc.utf8_trim_whitespace(out["thread"])}


def _parts(entries: pa.StringArray, pattern: str, closing: str) -> tuple[dict[str, pa.Array], Mask]:
    """The parts of the entries that fit, and which these are."""
    if "?P<message>" in pattern:
        start = first_line_lengths(entries)
        found = pc.extract_regex(pc.utf8_rtrim_whitespace(substrings(entries, np.zeros_like(start), start)), pattern)
    else:  # in two steps, since a pattern of few groups is matched much faster
        opening = pc.struct_field(pc.extract_regex(entries, f"(?P<opening>{_UNNAMED.sub('(?:', pattern)})"), 0)
        start = lengths(opening)
        found = pc.extract_regex(opening, f"{pattern}$") if "?P<" in pattern else opening
    fits = mask(found.is_valid())
    parts = {field.name: pc.struct_field(found, field.name) for field in found.type} if "?P<" in pattern else {}
    if closing:
        end, rest, closed = _closed(entries, closing)
        ended = mask(closed.is_valid())
        message = pc.binary_join_element_wise(
            substrings(entries, start, end), substrings(entries, rest, lengths(entries)), ""
        )
        parts |= {field.name: pc.struct_field(closed, field.name) for field in closed.type if field.name != "closing"}
        parts["message"] = message
        fits &= ended
    else:
        more = substrings(entries, start, lengths(entries))
        parts["message"] = pc.binary_join_element_wise(parts["message"], more, "") if "message" in parts else more
    return {part: values.filter(pa.array(fits)) for part, values in parts.items() if part in PARTS}, fits


def _closed(entries: pa.StringArray, closing: str) -> tuple[Integers, Integers, pa.StructArray]:
    """Where the message ends and what follows its closing begins: on the first line, or else at the entry's end."""
    wanted = f"(?P<closing>{closing})"
    rest = first_line_lengths(entries)
    closed = pc.extract_regex(substrings(entries, np.zeros_like(rest), rest), wanted)
    longer = np.flatnonzero(mask(closed.is_null()))
    if len(longer):
        whole = pc.utf8_rtrim_whitespace(entries.take(pa.array(longer)))
        closed = spread(closed, longer, pc.extract_regex(whole, wanted))
        rest[longer] = lengths(whole)
    closing_length = pc.fill_null(pc.binary_length(pc.struct_field(closed, "closing")), 0).to_numpy()
    return rest - closing_length, rest, closed
