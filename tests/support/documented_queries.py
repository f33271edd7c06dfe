"""The queries that the README, the pages and the commands show."""

import re
from pathlib import Path

_PROJECT = Path(__file__).parents[2]
_QUOTED = re.compile(r'lagoon sql[^"\n`]*\s"((?:[^"\\]|\\.)*)"', re.DOTALL)


def documented_queries() -> list[str]:
    pages = [_PROJECT / "README.md", _PROJECT / "CHANGELOG.md", *sorted((_PROJECT / "docs").rglob("*.md"))]
    found = [query for page in pages for query in _QUOTED.findall(page.read_text("utf-8"))]
    return [query for query in dict.fromkeys(found) if "…" not in query and "<" not in query.split()[-1]]
