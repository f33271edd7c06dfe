"""One sample of Prometheus' text exposition: name, labels, value, sometimes its time."""

import re
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


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float
    time: str | None  # as written: milliseconds, in OpenMetrics seconds


def looks_like(line: str) -> bool:
    return _COMMENT.match(line) is not None or ("{" in line and _SAMPLE.fullmatch(line) is not None)


def sample(line: str) -> Sample | None:
    found = _SAMPLE.fullmatch(line)
    if found is None:
        return None
    name, labels, value, time = found.groups()
    told = {label: _unescaped(text[1:-1]) for label, text in _LABEL.findall(labels or "")}
    return Sample(name, told, float(value), time)


def _unescaped(text: str) -> str:
    # Other escapes than \\ \" \n stand for themselves.
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: {"n": "\n", '"': '"', "\\": "\\"}.get(found[1], found[0]), text)
