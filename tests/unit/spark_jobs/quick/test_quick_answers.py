"""What the quick engine answers, where Spark and DuckDB have different customs."""

import datetime as dt
import subprocess
import sys
import time
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake
from support.delta_lake import TABLES

from spark_jobs.errors import UsageError, UserError
from spark_jobs.quick.column_types import OnlySparkError
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine

CUSTOMS = [
    ("select group_id from gold.lag order by group_id", [None, "Zoë", "billing", "orders", "orders"]),
    ("select true_lag from gold.lag order by true_lag desc", [30, 10, 0, -7, None]),
    ("select -7 div 2 as x", [-3]),
    ("select -7 % 2 as x", [-1]),
    ("select 7 / 2 as x", [3.5]),
    ("select round(share, 2) as x from gold.lag where partition_id = 0 and true_lag = 10", [0.29]),
    ("select round(share) as x from gold.lag where share between -3 and 3 order by x", [-3.0, 0.0, 3.0]),
    ("select cast(share as bigint) as x from gold.lag where abs(share) = 2.5e0 order by x", [-2, 2]),
    ("select evidence[1] as x from gold.lag where true_lag = 10", ["b"]),
    ("select array_contains(evidence, 'x') as x from gold.lag where true_lag = -7", [None]),
    ("select array_join(evidence, '+') as x from gold.lag where true_lag in (10, -7) order by x", ["a+b", "c"]),
    ("select by_reason['left'] as x from gold.lag order by x", [None, None, None, 1, 2]),
    ("select cast(sampled_at as string) as x from gold.lag where true_lag is null", ["2026-11-18 11:30:00.213"]),
    ("select sampled_at from gold.lag where true_lag = 10", [dt.datetime(2026, 11, 18, 11, 30)]),
    ("select day + interval 1 month as x from gold.lag where true_lag = -7", [dt.date(2026, 12, 19)]),
    ("select count(*) as n from gold.lag where day = '2026-11-18'", [3]),
    ("select count_if(n > 0) as x from silver.empty", [0]),
    ("select sum(n) as x from silver.empty", [None]),
    ("select 'it\\'s' as x", ["it's"]),
    ("select true_lag + 1 as true_lag from gold.lag order by true_lag limit 1", [None]),
    ("select group_id as g, count(*) as n from gold.lag group by g having n > 1", ["orders"]),
]
ONLY_SPARK = [
    "select 1 / 0 as x",
    "select evidence[9] as x from gold.lag",
    "select upper(group_id) as x from gold.lag",
    "select 1.5 * true_lag as x from gold.lag",
    "select try_cast(group_id as int) as x from gold.lag",
    "select cast(group_id as int) as x from gold.lag",
    "select group_id rlike '\\\\d+' as x from gold.lag",
    "select first(group_id) as x from gold.lag",
    "select true_lag + 1 from gold.lag",
    "select true_lag + 1 as true_lag from gold.lag order by -true_lag",
    "select * from gold.lag version as of 0",
    "select /*+ broadcast(l) */ group_id from gold.lag l",
    "select collect_list(group_id) as x from gold.lag",
    "select true_lag = group_id as x from gold.lag",
    "select group_id from gold.lag sort by group_id",
    "explain select 1",
    "select uuid() as x",
]


@pytest.mark.parametrize(("query", "expected"), CUSTOMS)
def test_the_answer_is_that_of_spark(engine: QuickEngine, query: str, expected: list[object]) -> None:
    assert [row[0] for row in engine.answer(query).rows] == expected


@pytest.mark.parametrize("query", ONLY_SPARK)
def test_what_could_mean_something_else_is_left_to_spark(engine: QuickEngine, query: str) -> None:
    with pytest.raises(OnlySparkError):
        list(engine.answer(query).rows)


def test_every_row_and_column_of_a_table_is_read(engine: QuickEngine) -> None:
    answer = engine.answer("select * from gold.lag")
    rows = TABLES["gold.lag"].to_pylist(maps_as_pydicts="strict")
    for row in rows:
        row["sampled_at"] = row["sampled_at"] and row["sampled_at"].replace(tzinfo=None)
    assert list(answer.columns) == list(rows[0])
    assert sorted(map(repr, answer.rows)) == sorted(repr(tuple(row.values())) for row in rows)


def test_columns_without_an_alias_have_the_names_that_spark_gives_them(engine: QuickEngine) -> None:
    answer = engine.answer("select count(*), max(l.Day), 7, count(distinct group_id) from gold.lag l")
    assert list(answer.columns) == ["count(1)", "max(Day)", "7", "count(DISTINCT group_id)"]


def test_parameters_are_values_and_never_part_of_the_query(engine: QuickEngine) -> None:
    hostile = "x' or '1' = '1"
    query = "select count(*) as n from gold.lag where group_id = :group"
    assert list(engine.answer(query, {"group": hostile}).rows) == [(0,)]
    assert list(engine.answer(query, {"group": "orders"}).rows) == [(2,)]


def test_a_column_that_came_later_is_null_in_older_files(tmp_path: Path) -> None:
    folder = tmp_path / "gold" / "t"
    write_deltalake(folder, TABLES["gold.findings"].select(["group_id"]))
    write_deltalake(folder, TABLES["gold.findings"], mode="append", schema_mode="merge")
    rows = list(QuickEngine(DeltaTables(str(tmp_path))).answer("select title from gold.t order by title").rows)
    assert rows == [(None,), ("<script>alert(1)</script>",)]


def test_a_reader_sees_one_version_of_a_table_while_others_write(tmp_path: Path) -> None:
    folder = tmp_path / "gold" / "t"
    write_deltalake(folder, TABLES["gold.findings"])
    engine = QuickEngine(DeltaTables(str(tmp_path)))
    engine.tables.open("gold.t")
    write_deltalake(folder, TABLES["gold.findings"], mode="overwrite")
    write_deltalake(folder, TABLES["gold.findings"], mode="append")
    assert list(engine.answer("select count(*) from gold.t").rows) == [(1,)]
    assert DeltaTable(folder).version() == 2
    assert list(QuickEngine(DeltaTables(str(tmp_path))).answer("select count(*) from gold.t").rows) == [(2,)]


def test_an_unknown_column_and_table_are_named_with_similar_ones(engine: QuickEngine) -> None:
    with pytest.raises(UsageError, match=r"no column `true_lags` in gold\.lag; did you mean `true_lag`"):
        engine.answer("select true_lags from gold.lag")
    with pytest.raises(UsageError, match=r"it has no table `gold\.lags`; did you mean gold\.lag"):
        engine.answer("select 1 from gold.lags")


def test_tables_and_columns_are_listed(engine: QuickEngine) -> None:
    assert list(engine.answer("show tables in gold").rows) == [("gold", "findings", False), ("gold", "lag", False)]
    described = list(engine.answer("describe gold.lag").rows)
    assert described[1] == ("partition_id", "int", None)
    assert described[6] == ("by_reason", "map<string,bigint>", None)
    assert described[-1] == ("day", "date", None)


def test_a_query_ends_when_its_time_is_over(lake_folder: Path) -> None:
    engine = QuickEngine(DeltaTables(str(lake_folder)), seconds=0.5)
    twelve = ", ".join(f"gold.lag t{number}" for number in range(14))
    started = time.monotonic()
    with pytest.raises(UserError, match=r"took longer than 0\.5 s"):
        list(engine.answer(f"select count(*) from {twelve} where t1.true_lag > t2.share").rows)
    assert time.monotonic() - started < 10


def test_a_query_that_needs_more_memory_than_allowed_is_left_to_spark(lake_folder: Path) -> None:
    engine = QuickEngine(DeltaTables(str(lake_folder)), memory="20MB")
    tables = ", ".join(f"gold.lag t{number}" for number in range(9))
    with pytest.raises(OnlySparkError, match="Memory"):
        list(engine.answer(f"select t1.group_id, t2.sampled_at, t3.share from {tables} order by t4.true_lag").rows)


def test_a_large_result_arrives_while_it_is_computed(engine: QuickEngine) -> None:
    endless = ", ".join(f"gold.lag t{number}" for number in range(12))
    rows = engine.answer(f"select t1.group_id from {endless}").rows
    assert len([next(rows) for _ in range(30_000)]) == 30_000
    rows.close()  # type: ignore[attr-defined]


def test_a_query_needs_neither_spark_nor_arrow(lake_folder: Path) -> None:
    program = (
        "import sys; from spark_jobs.settings import load; from spark_jobs.sql.query import run_query\n"
        f"run_query(load(lake={str(lake_folder)!r}, environment={{}}), 'select count(*) as n from gold.lag', 'json')\n"
        "assert not {'pyspark', 'pyarrow', 'pandas', 'py4j'} & set(sys.modules), 'imported'"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == '[\n {"n": 5}\n]\n'
