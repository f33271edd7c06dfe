"""Beeline, the JDBC client that comes with pyspark."""

import re

BEELINE = ("org.apache.hive.beeline.BeeLine",)
AS_CSV = ("--outputformat=csv2", "--silent=true")
_PROMPT = re.compile(r"^\d+: jdbc:\S*> ")


def answered_lines(printed: str) -> list[str]:
    """The lines of its answers. The first one begins with its prompt."""
    return [text for line in printed.splitlines() if (text := _PROMPT.sub("", line))]
