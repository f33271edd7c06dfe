"""Says in one sentence why a query failed."""

import contextlib
import re
from collections.abc import Iterator, Sequence

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from spark_jobs.errors import UsageError, UserError

_SIMILAR_NAMES = 3


@contextlib.contextmanager
def in_one_sentence(tables: Sequence[str] = ()) -> Iterator[None]:
    """Raises Spark's errors as UserError. `tables` are those that the query names."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _user_error(error, tables) from error


def _user_error(error: Exception, tables: Sequence[str]) -> UserError:
    if "OutOfMemoryError" in str(error) or "Java heap space" in str(error):
        return UserError(
            "the query needs more memory than Spark has",
            "Select fewer columns or days, or raise spark.driver_memory (LAGOON_SPARK_DRIVER_MEMORY)",
        )
    if not isinstance(error, PySparkException):
        return UserError("Spark ended while the query ran", "Run it again with --debug to see why")
    parameters = error.getMessageParameters() or {}
    if (error.getCondition() or "").startswith("UNRESOLVED_COLUMN"):
        return _unknown_column(parameters["objectName"], parameters.get("proposal", ""), tables)
    return UsageError(
        f"the query failed: {_first_sentences(str(error))}", "Correct it; `show tables in gold` lists the tables"
    )


def _unknown_column(column: str, proposal: str, tables: Sequence[str]) -> UsageError:
    similar = [name.strip() for name in proposal.split(",") if name.strip()][:_SIMILAR_NAMES]
    return UsageError(
        f"the query failed: there is no column {column}"
        + (f" in {' or '.join(tables)}" if tables else "")
        + (f"; did you mean {' or '.join(similar)}" if similar else ""),
        f"`describe {tables[0] if tables else 'gold.lag'}` lists the columns of a table",
    )


def _first_sentences(message: str) -> str:
    """Spark's message without its name, its SQL state, the query, the plan and the stack trace."""
    message = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", message.strip())
    message = re.split(r"\s*SQLSTATE:|\n\s*\n|\n==|;\n|JVM stacktrace", message)[0]
    return " ".join(message.split())
