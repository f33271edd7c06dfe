"""The lag readings of some days and of the day before, as series: samples of positions, and log ends.

All readings of one log go to one task, which sorts them itself (kafka_telemetry/lag/series.py).
"""

import functools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.columns import combined_codes, integers, value_codes
from kafka_telemetry.lag import series
from kafka_telemetry.lag.series import GenerationChanges
from kafka_telemetry.spill import Spill, matches
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows
from spark_jobs.silver.inputs.row_by_row import struct_per_kind
from spark_jobs.silver.inputs.set_aside import Problems
from spark_jobs.silver.inputs.spilled_rows import SpilledRows, part_by_hash, read_parts, spill_parts, tables_of

READING_COLUMNS = (
    *("cluster", "topic", "partition_id", "kind", "reporter", "sampled_at", "day", "group_id", "lag_meaning"),
    *series.REPORTED_COLUMNS,
    *("delivered_on", "source_file", "source_position"),
)
IS_READ = (pc.field("kind") == "group_offset") | (
    (pc.field("kind") == "log_offset")
    & pc.field("sampled_at").is_valid()
    & pc.field("topic").is_valid()
    & pc.field("partition_id").is_valid()
)

_SPILLED = "kind string, rows binary"
_SPILLED_SCHEMA = pa.schema([("kind", pa.string()), ("rows", pa.binary())])


@dataclass(frozen=True)
class LagSeries:
    references: DataFrame
    # One row per position, reporter and time of the days; `copies` says how many equal readings it stands for.
    samples: SpilledRows
    # One row per log, reporter and time of the days.
    log_ends: SpilledRows


def read_lag_series(
    bronze: BronzeRows, changes: GenerationChanges, spill: Spill, tasks: int, problems: Problems
) -> LagSeries:
    readings = bronze.in_tasks("bronze.lag_readings", LAG_KINDS, READING_COLUMNS, IS_READ, since=1)
    return build_lag_series(readings, bronze.slices.condition(), changes, spill, tasks, problems)


def build_lag_series(
    readings: TaskRows, in_days: pc.Expression, changes: GenerationChanges, spill: Spill, tasks: int, problems: Problems
) -> LagSeries:
    """`readings` reach back to the day before; `in_days` selects those of the days themselves."""
    sample_columns = f"{schemas.arrow_ddl('silver.lag_samples')}, copies bigint"
    types = struct_per_kind({"sample": sample_columns, "log_end": schemas.arrow_ddl("silver.log_offsets")})
    schema = to_arrow_schema(types)
    part_of = functools.partial(part_by_hash, columns=("cluster", "topic", "partition_id"), number=tasks)

    def series_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tables = [rows for _, rows in read_parts(parts, spill)]
        for batch in _build_safely(tables, changes, schema, problems):
            [kind] = [name for name in schema.names if not batch[name].null_count]
            rows = pa.Table.from_batches([pa.RecordBatch.from_struct_array(batch[kind])])
            yield pa.RecordBatch.from_pylist([{"kind": kind, "rows": spill.write(rows)}], schema=_SPILLED_SCHEMA)

    marked = TaskRows(readings.source, functools.partial(_mark_requested, readings.transform, in_days))
    parts = spill_parts(marked, "reading", part_of, spill).repartitionById(tasks, "part")
    references = parts.mapInArrow(series_task, _SPILLED).persist(StorageLevel.MEMORY_AND_DISK)
    samples, log_ends = (
        SpilledRows(
            references.where(F.col("kind") == kind).select("rows"), cast(StructType, types[kind].dataType), spill
        )
        for kind in ("sample", "log_end")
    )
    return LagSeries(references, samples, log_ends)


def generation_changes(rebalances: DataFrame, stories_before: DataFrame) -> GenerationChanges:
    """Collects when each group's generation changed: on the days (rows of silver.rebalances), and last before them."""
    group = ("cluster", "group_id")
    on_days = rebalances.select(*group, F.unix_micros(F.coalesce("completed_at", "told_at")).alias("at"))
    before = F.nullif(F.get_json_object("story", "$.changed_at").cast("bigint"), F.lit(0))
    both = on_days.unionByName(stories_before.select(*group, before.alias("at")))
    rows = both.groupBy(*group).agg(F.sort_array(F.collect_list("at")).alias("at")).collect()
    return {(row.cluster, row.group_id): row["at"] for row in rows if row["at"]}


def _build_safely(
    tables: list[pa.Table], changes: GenerationChanges, schema: pa.Schema, problems: Problems
) -> Iterator[pa.RecordBatch]:
    """Builds the series of all logs. If that raises, log by log: the samples of one that still raises are only counted."""
    batches = [batch for rows in tables for batch in rows.to_batches()]
    try:
        yield from list(series.build_series(batches, changes, schema))
        return
    except Exception:
        readings = pa.Table.from_batches(batches)
    names = ("cluster", "topic", "partition_id")
    log = combined_codes(*(value_codes(readings[name]) for name in names))
    for number in np.unique(log).tolist():
        rows = readings.filter(pa.array(log == number))
        try:
            yield from list(series.build_series(rows.to_batches(), changes, schema))
        except Exception as error:
            cluster, topic, partition = (rows[name][0].as_py() for name in names)
            subject = json.dumps({"topic": topic, "partition_id": partition}, ensure_ascii=False)
            days = integers(rows["day"]).tolist()
            problems.report("silver.lag_samples", cluster, days, subject, error)
            yield from series.only_counted(rows, schema)


def _mark_requested(
    transform: ArrowTransform, in_days: pc.Expression, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.Table]:
    for rows in tables_of(transform(batches)):
        yield rows.append_column("requested", pa.array(matches(rows, in_days)))
