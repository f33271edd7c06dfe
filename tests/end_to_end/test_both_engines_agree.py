"""DuckDB and Spark give the same rows, of the same types, under the same names."""

import random
from collections.abc import Sequence

import pytest
from support.both_engines import as_sorted, spark_name
from support.documented_queries import documented_queries
from support.generated_queries import queries

from spark_jobs.dashboard.panels import pages, parameters_of
from spark_jobs.dashboard.shown_query import shown_query
from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.tables import Lake
from spark_jobs.quick.column_types import OnlySparkError, in_spark
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine
from spark_jobs.sql.read_only import open_query, read_only_session
from spark_jobs.sql.rows import stream_rows

_GENERATED = 230
# The rest uses what only Spark runs: other letters than ASCII in upper(), element_at().
_LEAST_ANSWERED = 200


@pytest.fixture(scope="module")
def quick(gold_lake: Lake) -> QuickEngine:
    return QuickEngine(DeltaTables(gold_lake.uri))


@pytest.fixture(scope="module")
def read_only(gold_lake: Lake) -> Lake:
    return open_to_read(read_only_session(gold_lake.spark), gold_lake.uri)


def differences(quick: QuickEngine, lake: Lake, asked: Sequence[str]) -> tuple[int, list[str]]:
    """How many queries the quick engine answered, and what differs."""
    answered, found = 0, []
    for query in asked:
        try:
            answer = quick.answer(query)
            rows = as_sorted(list(answer.rows))
        except OnlySparkError:
            continue
        answered += 1
        frame = open_query(lake, query)
        expected = as_sorted(list(stream_rows(frame)))
        types = [in_spark(of) if of != "null" else "void" for of in answer.types]
        if (list(answer.columns), types) != (frame.columns, [spark_name(field.dataType) for field in frame.schema]):
            found.append(
                f"{query}: {list(zip(answer.columns, types, strict=True))} is not {frame.schema.simpleString()}"
            )
        if rows != expected:
            pairs = [pair for pair in zip(rows, expected, strict=False) if pair[0] != pair[1]][:1]
            found.append(f"{query}: {len(rows)} and {len(expected)} rows, the first difference is {pairs}")
    return answered, found


def test_generated_queries_have_the_same_answers(quick: QuickEngine, read_only: Lake) -> None:
    tables = {
        name: [(column.name, column.type) for column in quick.tables.open(name).columns] for name in quick.tables.names
    }
    everything = list(queries(tables))
    assert len(everything) > 900
    answered, found = differences(quick, read_only, random.Random(4).sample(everything, _GENERATED))
    assert found == []
    assert answered >= _LEAST_ANSWERED


def test_every_panel_has_the_same_answer(quick: QuickEngine, read_only: Lake) -> None:
    parameters = parameters_of({"cluster": "recorded", "day": "2026-11-18", "group": "rates-report", "topic": "ledger"})
    shown = [
        shown_query(panel.sql, parameters)
        for page in pages().values()
        for panel in page.panels
        if all(map(quick.tables.find, panel.needs))
    ]
    answered, found = differences(quick, read_only, shown)
    assert found == []
    assert answered == len(shown) > 40


def test_every_documented_query_has_the_same_answer(quick: QuickEngine, read_only: Lake) -> None:
    documented = documented_queries()
    assert len(documented) > 5
    answered, found = differences(quick, read_only, documented)
    assert found == []
    assert answered == len(documented)
