"""The layouts in which log files are written, and how the layout of a file is detected."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.line_prefix_fast import PrefixElement, PrefixElements


class LogLayout(NamedTuple):
    name: str
    line_start: str
    """The first characters of a line that begins an entry: 9 is a digit, A a capital letter, ? any character.

    Other lines belong to the entry before them. Layouts without it have their lines tried against the patterns.
    """
    patterns: tuple[str, ...]
    """Match a line up to its message, or with a group of that name the message too, and name its other parts."""
    suffix_pattern: str = ""
    """Matches what follows the message on its last line. A stack trace may follow on further lines."""
    prefix_elements: PrefixElements = ()
    """The first pattern in the form that `line_prefix_fast` uses."""


_CLOCK_AND_ZONE = r"[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?"
_ISO_TIME = rf"\d\d\d\d-\d\d-\d\d{_CLOCK_AND_ZONE}"
_SLASHED_TIME = rf"\d\d\d\d/\d\d/\d\d{_CLOCK_AND_ZONE}"
_NAMED_MONTH_TIME = rf"\d\d [A-Z][a-z]{{2}} \d\d\d\d{_CLOCK_AND_ZONE}"
_TIME = rf"(?P<time>{_ISO_TIME})"
_CLOCK = r"(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
_LEVEL = r"(?P<level>[A-Z]+)"
_LOGGER = r"(?P<logger>[\w.$-]+)"
# logback 1.3 and later prints key-value pairs between two dashes; mostly there are none.
_DASH = r"(?: - | -- )"
_DATED, _BRACKETED, _CLOCK_ONLY = "9999-99-99?99:99", "[9999-99-99?", "99:99:99"
_SLASHED = "9999/99/99?99:99"

_SPACES = PrefixElement.SPACES
_LOGGED_BY = (PrefixElement.LOGGER, PrefixElement.LINE_NUMBER, " - ")

LAYOUTS = (
    LogLayout(
        "kafka",
        _BRACKETED,
        (rf"^\[{_TIME}\] {_LEVEL} +",),
        rf"\s\({_LOGGER}(?::\d+)?\)[ \t\r]*$",
        ("[", PrefixElement.TIME, "] ", PrefixElement.LEVEL, _SPACES),
    ),
    LogLayout(
        "log4j",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +\[(?P<thread>[^\n\]]*)\] {_LOGGER}(?::\d+)? - ",
            rf"^{_TIME} +{_LEVEL} +\[(?P<thread>[^\n]*?)\] {_LOGGER}(?::\d+)?(?: - |: )",
        ),
        prefix_elements=(
            *(PrefixElement.TIME, _SPACES, PrefixElement.LEVEL, _SPACES, "[", PrefixElement.THREAD, "] "),
            *_LOGGED_BY,
        ),
    ),
    LogLayout(
        "spring",
        _DATED,
        (
            rf"^{_TIME} +{_LEVEL} +\S* *--- (?:\[[^\n\]]*\] )?\[(?P<thread>[^\n\]]*)\] (?:\[[^\n\]]*\] )?"
            rf"{_LOGGER} *: ",
        ),
    ),
    LogLayout(
        "logback with a date",
        _DATED,
        (rf"^{_TIME} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)?{_DASH}",),
        prefix_elements=(
            *(PrefixElement.TIME, " [", PrefixElement.THREAD, "] ", PrefixElement.LEVEL, _SPACES),
            *_LOGGED_BY,
        ),
    ),
    LogLayout(
        "logback",
        _CLOCK_ONLY,
        (rf"^{_CLOCK} \[(?P<thread>[^\n]*?)\] {_LEVEL} +{_LOGGER}(?::\d+)?{_DASH}",),
        prefix_elements=(
            *(PrefixElement.CLOCK, " [", PrefixElement.THREAD, "] ", PrefixElement.LEVEL, _SPACES),
            *_LOGGED_BY,
        ),
    ),
    LogLayout(
        "logger and thread last",
        _DATED,
        (rf"^{_TIME} +{_LEVEL} +",),
        rf"\s\({_LOGGER}\) \[(?P<thread>[^\n\[]*)\][ \t\r]*$",
    ),
    LogLayout("log4j without a thread", _DATED, (rf"^{_TIME} +{_LEVEL} +{_LOGGER}(?::\d+)? - ",)),
    LogLayout(
        "python",
        _DATED,
        (
            rf"^{_TIME} - {_LOGGER} - {_LEVEL} - ",
            rf"^{_TIME} {_LEVEL}:? +{_LOGGER}:? ",
            rf"^{_TIME} {_LOGGER}:? {_LEVEL}:? ",
        ),
    ),
    LogLayout("python without a time", "AA", (rf"^(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):{_LOGGER}:",)),
    LogLayout("json lines", "{", (r"^\{",)),
    LogLayout(
        "librdkafka",
        "%9|",
        (
            r"^%(?P<level>[0-7])\|(?P<time>\d+\.\d+)\|(?P<logger>[A-Z]+)\|(?P<client>[^|\n]*)\| "
            r"(?:\[thrd:(?P<thread>[^\n]*?)\]: )?",
        ),
    ),
    LogLayout("franz-go", "[A", (r"^\[(?P<level>DEBUG|INFO|WARN|ERROR)\] ",)),
    LogLayout("sarama", "", (r"^(?:\[sarama\] )?(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?) ",)),
)
# How messages of a consumer or a coordinator begin, wherever they are in a line; a logger may follow them.
_KNOWN_MESSAGE = (
    r"(?P<message>(?:\[(?:Share)?Consumer (?:clientId|instanceId)=|\[GroupCoordinator (?:id=)?\d|\[GroupMetadataManager "
    r"|(?:Share)?ConsumerConfig values:|Setting offset for partition |Final assignment of partitions to )[^\n]*?)"
    r"(?: \((?P<logger>[\w$-]+(?:\.[\w$-]+)+)(?::\d+)?\))?[ \t\r]*$"
)
_MESSAGE_LATER = rf"(?:[^\n]*?\b(?P<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)?[^\n]*?{_KNOWN_MESSAGE}"
UNKNOWN = "no known layout"
# Lines of an unknown layout that begin with their time.
DATED_LAYOUTS = (
    LogLayout(f"dated, {UNKNOWN}", _DATED, (rf"^{_TIME}{_MESSAGE_LATER}", rf"^{_TIME}\W")),
    LogLayout(
        f"dated with slashes, {UNKNOWN}",
        _SLASHED,
        (rf"^(?P<time>{_SLASHED_TIME}){_MESSAGE_LATER}", rf"^(?P<time>{_SLASHED_TIME})\W"),
    ),
    LogLayout(f"dated in brackets, {UNKNOWN}", _BRACKETED, (rf"^\[{_TIME}\]{_MESSAGE_LATER}", rf"^\[{_TIME}\]\W*")),
)
LIBRDKAFKA_LAYOUT = next(layout for layout in LAYOUTS if layout.name == "librdkafka")
# In a file of no known layout the messages of consumers and coordinators can still be recognized.
UNKNOWN_LAYOUT = LogLayout(
    UNKNOWN,
    "",
    (rf"^(?:[^\n]{{0,80}}?(?P<time>{_ISO_TIME}|{_SLASHED_TIME}|{_NAMED_MONTH_TIME}))?{_MESSAGE_LATER}", r"^"),
)


def detect_layout(lines: pa.StringArray, custom_patterns: Mapping[str, str]) -> LogLayout:
    """Returns the layout that most of the lines match. If several match as many lines, custom layouts win.

    A few JSON lines do not make a file JSON: applications print objects into any log.
    """
    custom = [LogLayout(f"{name} of the site", "", (pattern,)) for name, pattern in custom_patterns.items()]
    best, most = UNKNOWN_LAYOUT, 0
    for layout in (*custom, *LAYOUTS):
        matched = np.zeros(len(lines), dtype=bool)
        for pattern in layout.patterns:
            matched |= mask(pc.match_substring_regex(lines, pattern))
        if layout.suffix_pattern:
            matched &= mask(pc.match_substring_regex(lines, layout.suffix_pattern))
        if matched.sum() > most and (layout.name != "json lines" or 2 * matched.sum() >= len(lines)):
            best, most = layout, int(matched.sum())
    return _dated_layout_if_better(best, most, lines)


def _dated_layout_if_better(best: LogLayout, most: int, lines: pa.StringArray) -> LogLayout:
    """If far more lines begin with a time than match the best layout, these lines are the entries."""
    for layout in DATED_LAYOUTS:
        matched = int(mask(pc.match_substring_regex(lines, layout.patterns[-1])).sum())
        # A line of sarama is only a time and text: one with the prefix of a Java client or a broker is none of its lines.
        is_not_sarama = best.name == "sarama" and mask(pc.match_substring_regex(lines, layout.patterns[0])).any()
        if matched > 2 * most or is_not_sarama:
            best, most = layout, matched
    return best


def layouts_with_same_start(layout: LogLayout) -> tuple[LogLayout, ...]:
    """The layout, and others whose entries begin with the same characters: libraries mix their lines into a log."""
    others = (other for other in LAYOUTS if layout.line_start and other.line_start == layout.line_start)
    return (layout, *(other for other in others if other != layout))
