"""The log lines of some days, each once: lines are equal by cluster, origin, time and text, however often delivered."""

import functools
from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql.types import LongType, StructType

import schemas
from kafka_telemetry.columns import combined_codes, integers, run_starts, sort_order, value_codes, value_ranks
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.bronze_kinds import LINE_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows
from spark_jobs.silver.inputs.spilled_rows import (
    SPILLED,
    SPILLED_SCHEMA,
    SpilledRows,
    part_by_hash,
    read_parts,
    spill_parts,
)

EVENT = RowFilter(pc.field("kind") == "event", ("kind",))
CONFIG = RowFilter(pc.field("kind") == "config", ("kind",))
LINE_COLUMNS = ("kind", *schemas.table("silver.group_events").column_names, "settings")

_ROWS_A_PIECE = 100_000


def read_log_lines(bronze: BronzeRows, spill: Spill, tasks: int) -> SpilledRows:
    """Events and printed configurations of the days."""
    is_read = pc.field("kind").isin(pa.array(LINE_KINDS))
    return deduplicate_lines(bronze.in_tasks("bronze.log_lines", LINE_KINDS, LINE_COLUMNS, is_read), spill, tasks)


def deduplicate_lines(lines: TaskRows, spill: Spill, tasks: int) -> SpilledRows:
    """Each line once; `copies` says how many equal lines it stands for."""
    bronze_types = cast(StructType, StructType.fromDDL(schemas.arrow_ddl("bronze.log_lines")))
    types = StructType([field for field in bronze_types if field.name in LINE_COLUMNS]).add("copies", LongType())
    # Equal lines have equal times.
    part_of = functools.partial(part_by_hash, columns=("happened_at",), number=tasks)

    def deduplicate_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tables = [rows for _, rows in read_parts(parts, spill)]
        if not tables:
            return
        rows = unique_lines(pa.concat_tables(tables).combine_chunks())
        for start in range(0, len(rows), _ROWS_A_PIECE):
            reference = spill.write(rows.slice(start, _ROWS_A_PIECE))
            yield pa.RecordBatch.from_pylist([{"rows": reference}], schema=SPILLED_SCHEMA)

    parts = spill_parts(lines, "line", part_of, spill).repartitionById(tasks, "part")
    references = parts.mapInArrow(deduplicate_task, SPILLED).persist(StorageLevel.MEMORY_AND_DISK)
    return SpilledRows(references, types, spill)


def unique_lines(lines: pa.Table) -> pa.Table:
    """Adds `copies`. A line without a time equals no other line."""
    same = combined_codes(*(value_codes(lines[name]) for name in ("cluster", "happened_at", "origin", "text")))
    untimed = lines["happened_at"].is_null().to_numpy()
    same = np.where(untimed, len(lines) + np.arange(len(lines)), same)
    place = (
        integers(lines["delivered_on"]),
        value_ranks(lines["source_file"]),
        np.maximum(integers(lines["source_position"]), 0),
    )
    order = sort_order(same, *place)
    first = np.flatnonzero(run_starts(same[order]))
    copies = np.diff(first, append=len(order))
    # Usually there are no copies.
    unique = lines if len(first) == len(order) else lines.take(pa.array(order[first]))
    return unique.append_column("copies", pa.array(copies))
