"""SQL literals. Every value that becomes part of a Spark SQL text is written by these functions."""

import datetime as dt
from collections.abc import Iterable


def text_literal(text: str) -> str:
    # Spark's parser replaces `${env:HOME}` in a thread that has no active session, whatever the settings of the session say.
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024") + "'"


def date_literal(day: dt.date) -> str:
    return f"date'{day}'"


def date_list(days: Iterable[dt.date]) -> str:
    """Comma-separated date literals, for `in (…)`."""
    return ", ".join(date_literal(day) for day in days)


def in_cluster_days(pairs: Iterable[tuple[str, dt.date]]) -> str:
    """A condition on the columns `cluster` and `day`: true for these pairs, false for all rows if there are none."""
    conditions = [
        f"(cluster = {text_literal(cluster)} and day = {date_literal(day)})" for cluster, day in sorted(pairs)
    ]
    return " or ".join(conditions) or "false"
