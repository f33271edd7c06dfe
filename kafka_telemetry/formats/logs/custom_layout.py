"""Checks a custom pattern of log lines when the settings are read, and not only when the first file is."""

import re

import pyarrow as pa
import pyarrow.compute as pc

_GROUPS = ("time", "level", "thread", "logger", "message")
_GROUP_NAME = re.compile(r"\(\?P<(\w+)>")


def pattern_problem(pattern: str) -> str | None:
    """Returns why the pattern can't be used, or None if it can."""
    if not pattern.startswith("^"):
        return "it does not begin with ^, where a line begins"
    try:
        groups = pc.extract_regex(pa.array([""]), pattern).type
    except pa.ArrowInvalid as error:
        return str(error)
    names = _GROUP_NAME.findall(pattern)
    if not names or sorted(names) != sorted({field.name for field in groups} & set(_GROUPS)):
        return f"its groups are not some of (?P<{'>…), (?P<'.join(_GROUPS)}>…), each at most once"
    return None
