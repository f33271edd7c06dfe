"""A text becomes a literal of Spark SQL that is this text, whatever it contains and whichever thread parses it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession
from support.hostile_names import CLUSTERS, GROUPS

from spark_jobs.lake.sql_literals import text_literal

NAMES = [*GROUPS.values(), *CLUSTERS, "${env:HOME}", "\\${env:HOME}", "$${system:user.home}", "", "\\u0041", "\\", "'"]


@pytest.mark.parametrize("is_active", [True, False])
def test_a_literal_is_the_text(spark: SparkSession, is_active: bool) -> None:
    """A thread that has no active session has none of the session's settings either, among them the one that keeps
    Spark from replacing `${…}`."""

    def parse_all() -> list[str]:
        jvm = spark._jvm
        assert jvm is not None
        sessions = jvm.org.apache.spark.sql.SparkSession
        sessions.setActiveSession(spark._jsparkSession) if is_active else sessions.clearActiveSession()
        parser = spark._jsparkSession.sessionState().sqlParser()
        return [parser.parseExpression(text_literal(name)).value().toString() for name in NAMES]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(parse_all).result() == NAMES
