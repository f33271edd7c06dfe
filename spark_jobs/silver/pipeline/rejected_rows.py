"""quality.rejected_rows: the rows that a rule rejected, with the rules that they break."""

import datetime as dt
import functools
import json
from collections.abc import Iterable, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

import schemas
from expectations import gate
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.set_aside import Problem
from spark_jobs.silver.silver_table import SilverTable

REJECTED_ROWS = "quality.rejected_rows"
# Stands among the rules of a row that no rule rejected, but whose processing raised an error.
SET_ASIDE = "can_be_processed"
# What identifies a rejected row, whichever rules and columns there are.
_ROW = ("cluster", "day", "table_name", "source_file", "source_position", "row_key")


def may_have_rejected_rows(inputs: DayInputs, tables: Iterable[SilverTable]) -> bool:
    """Whether rows of the days were rejected now, or are in quarantine since an earlier build."""
    rejected_now = inputs.counts.any_rejected(*(table.name for table in tables))
    return rejected_now or inputs.lake.may_contain(REJECTED_ROWS, inputs.slices.pairs())


def build_rejected_rows(inputs: DayInputs, tables: Iterable[SilverTable], now: dt.datetime) -> DataFrame:
    """The quarantine of the days. A row keeps the time when it was rejected first, however often it is judged again. One
    that is accepted after all stays, with the time when it was."""
    columns = schemas.table(REJECTED_ROWS).column_names
    with_rejected = [table for table in tables if inputs.counts.any_rejected(table.name)]
    known, rejected = known_rows(inputs), rejected_rows(inputs, with_rejected)
    first = known.groupBy(*_ROW).agg(F.min("rejected_at").alias("first_at"))
    quarantine = (
        rejected.join(first, [*_ROW], "left")
        .withColumn("rejected_at", F.coalesce("first_at", F.lit(now)))
        .withColumn("replayed_at", F.lit(None).cast("timestamp"))
        .select(*columns)
    )
    accepted = accepted_rows(inputs, known, rejected)
    if accepted is None:
        return quarantine
    replayed = accepted.withColumn("replayed_at", F.coalesce("replayed_at", F.lit(now)))
    return quarantine.unionByName(replayed.select(*columns))


def known_rows(inputs: DayInputs) -> DataFrame:
    """The rows that are in quarantine since an earlier build."""
    rows = inputs.lake.read(REJECTED_ROWS).where(inputs.slices.where())
    keys = [
        F.when(F.col("table_name") == name, _key([F.get_json_object("row_json", f"$.{key}") for key in _keys(name)]))
        for name in schemas.tables()
        if name.startswith("silver.")
    ]
    return rows.withColumn("row_key", F.coalesce(*keys, F.lit("")))


def rejected_rows(inputs: DayInputs, tables: Iterable[SilverTable]) -> DataFrame:
    """The rows of these tables that today's rules reject."""
    rejected = [_rejected(inputs, table) for table in tables]
    if problems := inputs.problems.found():
        rejected.append(_set_aside(inputs, problems))
    if not rejected:
        return inputs.lake.read_nothing(REJECTED_ROWS).withColumn("row_key", F.lit(""))
    return functools.reduce(DataFrame.unionByName, rejected)


def accepted_rows(inputs: DayInputs, known: DataFrame, rejected: DataFrame) -> DataFrame | None:
    """The known rows that today's rules accept. A row that is gone, because its file was delivered again without it, is
    neither."""
    others = known.join(rejected, [*_ROW], "left_anti").localCheckpoint()
    names = [row.table_name for row in others.select("table_name").distinct().collect()]
    if not names:
        return None
    valid = [
        gate.valid(inputs.judged(name)).select(
            *("cluster", "day", "source_file", "source_position"),
            F.lit(name).alias("table_name"),
            _key([F.col(key) for key in _keys(name)]).alias("row_key"),
        )
        for name in names
    ]
    return others.join(functools.reduce(DataFrame.unionByName, valid), [*_ROW], "left_semi")


def _rejected(inputs: DayInputs, table: SilverTable) -> DataFrame:
    rows, name = inputs.judged(table.name), table.name
    kept = [c for c in schemas.table(name).column_names if c in rows.columns and c not in table.accepted_columns]
    return gate.rejected(rows).select(
        *("cluster", "day", "rules", "source_file", "source_position", "delivered_on"),
        F.lit(name).alias("table_name"),
        F.to_json(F.struct(*kept)).alias("row_json"),
        _key([F.col(key) for key in _keys(name)]).alias("row_key"),
    )


def _keys(table: str) -> list[str]:
    """Of the key of a table the texts and numbers, which JSON writes as SQL does: several rows may come from one place of
    a file, as the members of a group record do."""
    types = {column.name: column.type for column in schemas.table(table).columns}
    return [name for name in schemas.table(table).key if types[name] in ("string", "int", "bigint")]


def _key(values: Sequence[Column]) -> Column:
    return F.concat_ws("\u0000", *(F.coalesce(value.cast("string"), F.lit("")) for value in values))


def _set_aside(inputs: DayInputs, problems: Sequence[Problem]) -> DataFrame:
    """One row per group or log whose processing raised an error."""
    rows = [
        (
            *(problem.cluster, problem.date, [SET_ASIDE], "several files", None, problem.date, problem.table),
            json.dumps({**json.loads(problem.subject), "error": problem.error}, ensure_ascii=False),
            problem.subject,
        )
        for problem in problems
    ]
    columns = (
        "cluster string, day date, rules array<string>, source_file string, source_position bigint,"
        "delivered_on date, table_name string, row_json string, row_key string"
    )
    return inputs.lake.spark.createDataFrame(rows, columns)
