"""Whether a site's own pattern can be a layout: said when the settings are read, not when the first file is."""

import re

import pyarrow as pa
import pyarrow.compute as pc

PARTS = ("time", "level", "thread", "logger", "message")
_NAMED = re.compile(r"\(\?P<(\w+)>")


def why_not(pattern: str) -> str | None:
    """What stands against it; none if nothing does."""
    if not pattern.startswith("^"):
        return "it does not begin with ^, where a line begins"
    try:
        found = pc.extract_regex(pa.array([""]), pattern).type
    except pa.ArrowInvalid as error:
        return str(error)
    names = _NAMED.findall(pattern)
    if not names or sorted(names) != sorted({field.name for field in found} & set(PARTS)):
        return f"its groups are not some of (?P<{'>…), (?P<'.join(PARTS)}>…), each at most once"
    return None
