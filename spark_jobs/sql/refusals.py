"""The sentences with which `lagoon sql` refuses a query, whichever engine was about to run it."""

import difflib
from collections.abc import Collection, Sequence

from spark_jobs.errors import UsageError
from spark_jobs.lake.layers import LAYERS

READING = "`lagoon sql` only reads the tables of the lake"
_SIMILAR_NAMES = 3


def require_text(query: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in query):
        raise UsageError("the query is not valid UTF-8", "Write it in UTF-8")


def not_reading(statement: str) -> UsageError:
    return UsageError(f"{READING}, and does not run {statement}", "Use select, with, values, show, describe or explain")


def unknown_table(shown: str, tables: Collection[str]) -> UsageError:
    name = shown.casefold()
    known = difflib.get_close_matches(name, tables, n=2, cutoff=0.7)
    known = known or [table for table in tables if table.partition(".")[2] == name]
    return UsageError(
        f"{READING}, and it has no table `{shown}`" + (f"; did you mean {' or '.join(known)}" if known else ""),
        "`show tables in gold` lists those of a layer; the layers are " + ", ".join(LAYERS),
    )


def unknown_column(column: str, similar: Sequence[str], tables: Sequence[str]) -> UsageError:
    """`column` and `similar` are quoted names, the most similar first."""
    return UsageError(
        f"the query failed: there is no column {column}"
        + (f" in {' or '.join(tables)}" if tables else "")
        + (f"; did you mean {' or '.join(similar[:_SIMILAR_NAMES])}" if similar else ""),
        f"`describe {tables[0] if tables else 'gold.lag'}` lists the columns of a table",
    )
