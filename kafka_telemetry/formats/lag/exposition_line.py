"""Parses a line of Prometheus' text exposition: name, labels, value and, in some files, the time."""

import re
from collections.abc import Callable
from typing import NamedTuple

NAME = re.compile(rb"[a-zA-Z_:][a-zA-Z0-9_:]*")
_VALUE = r'"(?:[^"\\]|\\.)*"'
_NUMBER = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|[iI]nf(?:inity)?|[nN]a[nN])"
_TIME = r"-?\d{1,18}(?:\.\d*)?(?:[eE][+-]?\d{1,2})?"
_LABEL = re.compile(rf"([a-zA-Z_]\w*)[ \t]*=[ \t]*({_VALUE})")
_SAMPLE = re.compile(
    r"[ \t]*([a-zA-Z_:][\w:]*)[ \t]*"
    rf"(?:\{{[ \t]*((?:[a-zA-Z_]\w*[ \t]*=[ \t]*{_VALUE}[ \t]*(?:,[ \t]*|(?=\}})))*)\}})?"
    rf"[ \t]*({_NUMBER})(?:[ \t]+({_TIME}))?[ \t]*(?:#.*)?"
)
_ESCAPED = re.compile(r"\\(.)")
_COMMENT = re.compile(r"# (?:HELP|TYPE|UNIT) [a-zA-Z_:]|# EOF$")

# Converts the time of a sample to microseconds since 1970; None is the time of the file. Raises ValueError if there is no
# such time.
Clock = Callable[[str | None], int]


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float
    time: str | None  # as written: in milliseconds, in OpenMetrics in seconds


def looks_like(line: str) -> bool:
    return _COMMENT.match(line) is not None or ("{" in line and _SAMPLE.fullmatch(line) is not None)


def parse_sample(line: str) -> Sample | None:
    match = _SAMPLE.fullmatch(line)
    if match is None:
        return None
    name, labels, value, time = match.groups()
    by_label = {label: _unescaped(text[1:-1]) for label, text in _LABEL.findall(labels or "")}
    return Sample(name, by_label, float(value), time)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    # Other escapes than \\ \" \n are left as they are.
    return _ESCAPED.sub(lambda match: {"n": "\n", '"': '"', "\\": "\\"}.get(match[1], match[0]), text)
