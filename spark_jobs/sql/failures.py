"""Says in one sentence why a query failed."""

import contextlib
import re
from collections.abc import Iterator, Sequence

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from spark_jobs.errors import UsageError, UserError
from spark_jobs.sql.refusals import unknown_column


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
    if "StackOverflowError" in str(error):
        return UsageError("the query failed: it is nested too deep", "Use fewer parentheses, or split it")
    if not isinstance(error, PySparkException):
        return UserError("Spark ended while the query ran", "Run it again with --debug to see why")
    parameters = error.getMessageParameters() or {}
    if (error.getCondition() or "").startswith("UNRESOLVED_COLUMN"):
        similar = [name.strip() for name in parameters.get("proposal", "").split(",") if name.strip()]
        return unknown_column(parameters["objectName"], similar, tables)
    return UsageError(
        f"the query failed: {_first_sentences(str(error))}", "Correct it; `show tables in gold` lists the tables"
    )


def _first_sentences(message: str) -> str:
    """Spark's message without its name, its SQL state, the query, the plan and the stack trace."""
    message = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", message.strip())
    message = re.split(r"\s*SQLSTATE:|\n\s*\n|\n==|;\n|JVM stacktrace", message)[0]
    # The settings of `lagoon sql` are closed.
    message = re.sub(r'If necessary set "[^"]*" to "[^"]*" to bypass this error\.', "", message)
    return " ".join(message.split())
