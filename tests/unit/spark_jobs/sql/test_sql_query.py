"""`lagoon sql` on a small lake."""

import io
import json
import logging
from pathlib import Path

import pytest
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings, load
from spark_jobs.sql.query import run_query


@pytest.fixture(scope="module")
def settings(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    lake = str(tmp_path_factory.mktemp("sql") / "lake")
    spark.range(2).coalesce(1).write.format("delta").save(f"{lake}/gold/numbers")
    return load(lake=lake, environment={})


def test_a_query_reads_tables_by_name(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    run_query(settings, "select id from gold.numbers order by id", "json")
    assert json.loads(capsys.readouterr().out) == [{"id": 0}, {"id": 1}]


@pytest.mark.parametrize(
    "statement", ["drop table gold.numbers", "with n as (select 1) insert into gold.numbers select * from n"]
)
def test_a_statement_that_writes_is_refused(settings: Settings, statement: str) -> None:
    with pytest.raises(UsageError, match="only reads the tables of the lake"):
        run_query(settings, statement, "json")


def test_a_wrong_query_is_one_sentence_without_a_stack_trace(settings: Settings) -> None:
    logged = io.StringIO()
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.addHandler(handler := logging.StreamHandler(logged))
    try:
        with pytest.raises(
            UsageError, match=r"the query failed: there is no column `nope` in gold\.numbers; did you mean `id`"
        ):
            run_query(settings, "select nope from gold.numbers", "json")
    finally:
        logger.removeHandler(handler)
    assert logged.getvalue() == ""


def test_the_lake_of_the_settings_is_created_by_a_run_and_not_by_a_query(tmp_path: Path, spark: SparkSession) -> None:
    assert spark
    with pytest.raises(Exception, match="there is no lake at"):
        run_query(load(lake=str(tmp_path / "none"), environment={}), "select 1", "json")
    assert not (tmp_path / "none").exists()


def test_what_duckdb_could_answer_differently_is_answered_by_spark(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "select 1.5 * id as x from gold.numbers order by id"
    run_query(settings, query, "json", "auto")
    assert json.loads(capsys.readouterr().out) == [{"x": 0}, {"x": 1.5}]
    with pytest.raises(UsageError, match=r"the engine duckdb does not run values of the types .* Use --engine auto"):
        run_query(settings, query, "json", "duckdb")


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_both_engines_print_the_same(settings: Settings, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    query = "select id, id / 3 as third, id = 0 as none, timestamp'2026-11-18 10:00:00.5' as at, null as n, count(*) over () as c from gold.numbers order by id desc"
    run_query(settings, query, "csv", engine)
    assert capsys.readouterr().out == (
        "id,third,none,at,n,c\n"
        "1,0.3333333333333333,false,2026-11-18T10:00:00.500000Z,,2\n"
        "0,0.0,true,2026-11-18T10:00:00.500000Z,,2\n"
    )


def test_a_wrong_query_is_refused_in_the_same_words_by_both_engines(settings: Settings) -> None:
    for query, sentence in (
        ("select nope from gold.numbers", "there is no column `nope` in gold.numbers; did you mean `id`"),
        ("select 1 from gold.nombers", "it has no table `gold.nombers`; did you mean gold.numbers"),
        ("delete from gold.numbers", "only reads the tables of the lake, and does not run delete"),
    ):
        for engine in ("auto", "duckdb", "spark"):
            with pytest.raises(UsageError) as refused:
                run_query(settings, query, "json", engine)
            assert sentence in str(refused.value), engine
