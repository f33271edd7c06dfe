"""In which layout a log file is written, and what stands around the message of each of its lines.

A layout has a head, the shape of the first characters of a line that begins an entry (9 a digit, A a capital, ? any),
and a pattern that names time, level, thread, logger and message. All other lines belong to the entry before them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PARTS = ("time", "level", "thread", "logger", "client", "message")


class Layout(NamedTuple):
    name: str
    head: str
    patterns: tuple[str, ...]


_DAY = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
_TIME = rf"(?P<time>{_DAY})"
_CLOCK = r"(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
_LEVEL = r"(?P<level>[A-Z]+)"
_LOGGER = r"(?P<logger>[\w.$-]+)"
_MESSAGE = r"(?P<message>(?s:.*))$"
_DATED, _BRACKETED, _TIMED = "9999-99-99?99:99:99", "[9999-99-99?99:99:99", "99:99:99"

# The logger ends the message's last line; what follows is a stack trace.
_TRACE = r"(?P<trace>(?:\n(?s:.*))?)$"
LAYOUTS = (
    Layout(
        "kafka",
        _BRACKETED,
        (
            rf"^\[{_TIME}\] {_LEVEL} +(?P<message>[^\n]*) \({_LOGGER}\)[ \t\r]*{_TRACE}",
            rf"^\[{_TIME}\] {_LEVEL} +(?P<message>(?s:.*))\s\({_LOGGER}\)[ \t\r]*{_TRACE}",
        ),
    ),
    Layout("log4j", _DATED, (rf"^{_TIME} +{_LEVEL} +\[(?P<thread>[^\n]*?)\] {_LOGGER}(?::\d+)? - {_MESSAGE}",)),
    Layout(
        "spring",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +\S* *--- (?:\[[^\n\]]*\] )?\[(?P<thread>[^\n\]]*)\] (?:\[[^\n\]]*\] )?"
            rf"{_LOGGER} *: {_MESSAGE}",
        ),
    ),
    Layout(
        "logback with a date", _DATED, (rf"^{_TIME} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)? - {_MESSAGE}",)
    ),
    Layout("logback", _TIMED, (rf"^{_CLOCK} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)? - {_MESSAGE}",)),
    Layout(
        "logger and thread last",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +(?P<message>[^\n]*) \({_LOGGER}\) \[(?P<thread>[^\n]*)\][ \t\r]*{_TRACE}",
            rf"^{_TIME} +{_LEVEL} +(?P<message>(?s:.*))\s\({_LOGGER}\) \[(?P<thread>[^\n]*)\][ \t\r]*{_TRACE}",
        ),
    ),
    Layout(
        "python",
        _DATED,
        (
            rf"^{_TIME} - {_LOGGER} - {_LEVEL} - {_MESSAGE}",
            rf"^{_TIME} {_LEVEL}:? +{_LOGGER}:? {_MESSAGE}",
            rf"^{_TIME} {_LOGGER}:? {_LEVEL}:? {_MESSAGE}",
        ),
    ),
    Layout("python without a time", "AA", (rf"^(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):{_LOGGER}:{_MESSAGE}",)),
    Layout("json lines", "{", (r"^(?P<message>\{.*\})\s*$",)),
    Layout(
        "librdkafka",
        "%9|",
        (
            r"^%(?P<level>[0-7])\|(?P<time>\d+\.\d+)\|(?P<logger>[A-Z]+)\|(?P<client>[^|\n]*)\| "
            rf"(?:\[thrd:(?P<thread>[^\n]*?)\]: )?{_MESSAGE}",
        ),
    ),
    Layout("franz-go", "[A", (rf"^\[(?P<level>DEBUG|INFO|WARN|ERROR)\] {_MESSAGE}",)),
    Layout("sarama", "", (rf"^(?:\[sarama\] )?(?P<time>\d{{4}}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?) {_MESSAGE}",)),
)
LIBRDKAFKA = next(layout for layout in LAYOUTS if layout.name == "librdkafka")
# A file of no known layout: what matters may still be recognised by its wording.
BARE = Layout("no known layout", "", (r"^(?P<message>(?s:.*))$",))


def site_layout(number: int, pattern: str) -> Layout:
    return Layout(f"pattern {number} of the site", "", (pattern,))


def recognised(lines: pa.StringArray, patterns: Sequence[str]) -> Layout:
    """The layout in which most of the lines are written; the site's own come first where they draw."""
    layouts = [*(site_layout(number, pattern) for number, pattern in enumerate(patterns, 1)), *LAYOUTS]
    best, most = BARE, 0
    for layout in layouts:
        found = np.zeros(len(lines), dtype=bool)
        for pattern in layout.patterns:
            found |= pc.match_substring_regex(lines, pattern).to_numpy(zero_copy_only=False)
        if found.sum() > most:
            best, most = layout, int(found.sum())
    return best


def same_heads(layout: Layout) -> tuple[Layout, ...]:
    """The layouts that a line with this head can be in, the file's own first: libraries mix theirs in."""
    others = (other for other in LAYOUTS if layout.head and other.head == layout.head and other != layout)
    return (layout, *others)


def shaped(block: Bytes, starts: Places, shape: str) -> Mask:
    """Which of the lines that start there begin with the shape."""
    fits = starts + len(shape) <= len(block)
    at = np.where(fits, starts, 0)
    if len(block) < len(shape):
        return np.zeros(len(starts), dtype=bool)
    for place, wanted in enumerate(shape):
        found = block[at + place]
        if wanted == "9":
            fits &= (found >= ord("0")) & (found <= ord("9"))
        elif wanted == "A":
            fits &= (found >= ord("A")) & (found <= ord("Z"))
        elif wanted != "?":
            fits &= found == ord(wanted)
    return fits


def framed(entries: pa.StringArray, layout: Layout) -> dict[str, pa.Array]:
    """The parts of each entry, as far as its layout has them; an entry that fits none is all message."""
    out = {part: pa.nulls(len(entries), pa.string()) for part in PARTS}
    left = pa.array(np.ones(len(entries), dtype=bool))
    candidates = (*same_heads(layout), *(() if layout is LIBRDKAFKA else (LIBRDKAFKA,)))
    for pattern in (pattern for candidate in candidates for pattern in candidate.patterns):
        if not pc.any(left).as_py():
            break
        found = pc.extract_regex(pc.if_else(left, entries, None), pattern)
        here = pc.is_valid(found)
        parts = {field.name for field in found.type}
        for part in parts & set(PARTS):
            value = pc.struct_field(found, part)
            if part == "message" and "trace" in parts:
                value = pc.binary_join_element_wise(value, pc.struct_field(found, "trace"), "")
            out[part] = pc.if_else(here, value, out[part])
        left = pc.and_(left, pc.invert(here))
    out["message"] = pc.if_else(left, entries, out["message"])
    out["thread"] = pc.utf8_trim_whitespace(out["thread"])
    return out
