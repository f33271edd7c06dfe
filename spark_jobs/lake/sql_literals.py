"""SQL literals. Every value that becomes part of a Spark SQL text is written by these functions."""

import datetime as dt
from collections.abc import Iterable


def text_literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def date_literal(day: dt.date) -> str:
    return f"date'{day}'"


def date_list(days: Iterable[dt.date]) -> str:
    """Comma-separated date literals, for `in (…)`."""
    return ", ".join(date_literal(day) for day in days)
