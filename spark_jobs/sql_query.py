"""`lagoon sql`: runs one query on the lake and prints its result. Refuses statements that write."""

from typing import Any

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings
from spark_jobs.sql_output import FORMATS, print_rows

_LOGICAL_PLANS = "org.apache.spark.sql.catalyst.plans.logical."
# Spark calls these commands too, but they only read.
_READING_COMMANDS = ("Show", "Describe", "Explain")


def run_query(settings: Settings, query: str, output_format: str) -> None:
    if output_format not in FORMATS:
        raise UsageError(f"there is no format {output_format!r}", f"Use one of {', '.join(FORMATS)}")
    from pyspark.errors import PySparkException

    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.spark import session

    lake = open_to_read(session.start_spark(settings, small=True), settings.lake)
    try:
        _refuse_to_write(lake.spark, query)
        result = lake.spark.sql(query)
        rows = [tuple(row) for row in result.collect()]
    except PySparkException as error:
        message = (error.getMessage() or str(error)).split("\n")[0]
        raise UsageError(
            f"the query failed: {message}", "Correct it; `show tables in gold` lists the tables"
        ) from error
    print_rows(result.columns, rows, output_format)


def _refuse_to_write(spark: Any, query: str) -> None:
    """Raises UsageError if the parsed query contains a command. The first word is not enough: `with …` may write too."""
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    commands = [loader.loadClass(_LOGICAL_PLANS + name) for name in ("Command", "ParsedStatement")]

    def visit(plan: Any) -> None:
        name = plan.getClass().getSimpleName()
        if any(kind.isInstance(plan) for kind in commands) and not name.startswith(_READING_COMMANDS):
            raise UsageError("`lagoon sql` only reads, and this statement writes", "Use select, with, show or describe")
        children = plan.children()
        for number in range(children.size()):
            visit(children.apply(number))

    visit(spark._jsparkSession.sessionState().sqlParser().parsePlan(query))
