"""Opens queries that read tables of the lake and do nothing else. Everything else is refused before it runs."""

import contextlib
from collections.abc import Iterator

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.tables import Lake
from spark_jobs.sql.analysed_query import analyse_and_check
from spark_jobs.sql.failures import in_one_sentence
from spark_jobs.sql.parsed_query import ParsedQuery
from spark_jobs.sql.plan_parts import elements
from spark_jobs.sql.refusals import require_text

_CLOSED = {
    # No file by its path: select * from csv.`/etc/passwd`.
    "spark.sql.runSQLOnFiles": "false",
    # No environment variables or properties of the process: select '${env:HOME}'.
    "spark.sql.variable.substitute": "false",
}


def read_only_session(spark: SparkSession) -> SparkSession:
    """A session with the tables of this one and settings of its own."""
    session = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    for key, value in _CLOSED.items():
        session.conf.set(key, value)
    return session


def open_query(lake: Lake, query: str) -> DataFrame:
    """The rows of a query. Raises UsageError if it is wrong, or does more than read tables of the lake. The plan that is
    checked is the plan that runs: no text is parsed twice."""
    require_text(query)
    jvm, session = lake.spark._jvm, lake.spark._jsparkSession
    assert jvm is not None
    parsed = ParsedQuery(_tables(lake))
    with _active(lake.spark):
        with in_one_sentence():
            plan = session.sessionState().sqlParser().parsePlan(query)
        parsed.check(plan)
        with in_one_sentence(parsed.table_names):
            analysed = analyse_and_check(lake, plan)
            return DataFrame(jvm.org.apache.spark.sql.classic.Dataset.ofRows(session, analysed), lake.spark)


@contextlib.contextmanager
def _active(session: SparkSession) -> Iterator[None]:
    """Spark's parser takes its settings from the active session, not from its own."""
    jvm = session._jvm
    assert jvm is not None
    sessions = jvm.org.apache.spark.sql.SparkSession
    active = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if active.isDefined():
            sessions.setActiveSession(active.get())
        else:
            sessions.clearActiveSession()


def _tables(lake: Lake) -> list[str]:
    catalog = lake.spark._jsparkSession.sessionState().catalog()
    return [f"{layer}.{table.table()}" for layer in LAYERS for table in elements(catalog.listTables(layer))]
