"""quality.rejected_rows: the rows that a rule rejected, with the rules that they break."""

import datetime as dt
import functools
import json
from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from expectations import gate
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.set_aside import Problem
from spark_jobs.silver.silver_table import SilverTable

REJECTED_ROWS = "quality.rejected_rows"
# Stands among the rules of a row that no rule rejected, but whose processing raised an error.
SET_ASIDE = "can_be_processed"
_KEY = ("cluster", "day", "table_name", "source_file", "source_position", "row_json")


def may_have_rejected_rows(inputs: DayInputs, tables: Iterable[SilverTable]) -> bool:
    """Whether rows of the days were rejected now, or are in quarantine since an earlier build."""
    rejected_now = inputs.counts.any_rejected(*(table.name for table in tables))
    return rejected_now or inputs.lake.may_contain(REJECTED_ROWS, inputs.slices.pairs())


def build_rejected_rows(inputs: DayInputs, tables: Iterable[SilverTable], now: dt.datetime) -> DataFrame:
    """The quarantine of the days. A row keeps the time when it was rejected first, however often it is judged again."""
    rejected = [_rejected(inputs, table.name) for table in tables if inputs.counts.any_rejected(table.name)]
    if problems := inputs.problems.found():
        rejected.append(_set_aside(inputs, problems))
    if not rejected:
        return inputs.lake.read_nothing(REJECTED_ROWS)
    known = inputs.lake.read(REJECTED_ROWS).where(inputs.slices.where())
    first = known.groupBy(*_KEY).agg(F.min("rejected_at").alias("first_at"))
    return (
        functools.reduce(DataFrame.unionByName, rejected)
        .join(first, [*_KEY], "left")
        .withColumn("rejected_at", F.coalesce("first_at", F.lit(now)))
        .withColumn("replayed_at", F.lit(None).cast("timestamp"))
        .select(*schemas.table(REJECTED_ROWS).column_names)
    )


def _rejected(inputs: DayInputs, table: str) -> DataFrame:
    rows = inputs.judged(table)
    row_json = F.to_json(F.struct(*[c for c in schemas.table(table).column_names if c in rows.columns]))
    return gate.rejected(rows).select(
        *("cluster", "day", "rules", "source_file", "source_position", "delivered_on"),
        F.lit(table).alias("table_name"),
        row_json.alias("row_json"),
    )


def _set_aside(inputs: DayInputs, problems: Sequence[Problem]) -> DataFrame:
    """One row per group or log whose processing raised an error."""
    rows = [
        (
            *(problem.cluster, problem.date, [SET_ASIDE], "several files", None, problem.date, problem.table),
            json.dumps({**json.loads(problem.subject), "error": problem.error}, ensure_ascii=False),
        )
        for problem in problems
    ]
    columns = (
        "cluster string, day date, rules array<string>, source_file string, source_position bigint,"
        "delivered_on date, table_name string, row_json string"
    )
    return inputs.lake.spark.createDataFrame(rows, columns)
