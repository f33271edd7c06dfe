"""The records of `__consumer_offsets` of some days as one log: one row per position in the log.

One pass over each log (kafka_telemetry/offsets/log_merge.py) merges the copies of every record, counts the holes, resolves
transactions, and adds to each commit the position before it and the log ends around it.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructType

from kafka_telemetry.offsets import log_ends as ends_of_logs
from kafka_telemetry.offsets import log_merge, position_tracker
from kafka_telemetry.offsets.log_copies import CONTENT_COLUMNS
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.log_pieces import (
    LOG_KEY,
    PIECE_TYPES,
    SPILLED_TYPES,
    START_POSITION,
    pack_pieces,
    spill_tables,
)
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.table_files import with_columns_of
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows
from spark_jobs.silver.inputs.bronze_kinds import LOG_KINDS, UNPLACED_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows
from spark_jobs.silver.inputs.console_copies import add_console_copies
from spark_jobs.silver.inputs.misplaced_files import MisplacedFile, apart_from_logs, with_partitions
from spark_jobs.silver.inputs.spilled_rows import SpilledRows, tables_of
from spark_jobs.silver.inputs.trusted_log_ends import log_ends_around

COMMIT = RowFilter(pc.field("kind") == "commit", ("kind",))
GROUP_RECORD = RowFilter(pc.field("kind") == "group", ("kind",))

RECORD_COLUMNS = (
    *(*LOG_KEY, "record_offset", "day", *CONTENT_COLUMNS, "transactional", "group_hash", "batch_leader_epoch"),
    *("delivered_on", "source_file", "source_position"),
)
# Columns that only the merge needs.
_DROPPED = ("value_version", "key_bytes", "value_bytes", "marker", "transactional", "batch_leader_epoch")
_ADDED: dict[str, DataType] = {
    "copies": LongType(),
    "contradicted": BooleanType(),
    "holes": LongType(),
    "lost_before": LongType(),
    "transaction": StringType(),
    **dict.fromkeys((*position_tracker.PREVIOUS_POSITION_COLUMNS, "furthest"), BooleanType()),
    **dict.fromkeys(
        ("previous_committed_offset", "previous_record_offset", *ends_of_logs.LOG_END_COLUMNS, "place"), LongType()
    ),
}


def read_merged_log(
    bronze: BronzeRows,
    misplaced: Sequence[MisplacedFile],
    positions_before: DataFrame,
    read_before: DataFrame,
    spill: Spill,
    tasks: int,
) -> SpilledRows:
    """The merged log of the days. `positions_before` are the positions at their start, `read_before` how far each log had
    been read then. The records of `misplaced` files are no part of the log of their folder."""
    kinds = (*LOG_KINDS, *UNPLACED_KINDS)
    has_position = pc.field("kind").isin(pa.array(LOG_KINDS)) & pc.field("record_offset").is_valid()
    records = bronze.in_tasks("bronze.offset_records", kinds, RECORD_COLUMNS, has_position)
    records = replace(records, transform=apart_from_logs(records.transform, misplaced))
    # A transaction that is open when the days end may have been decided since.
    later_markers = bronze.of_later_days("bronze.offset_records", "marker").dropDuplicates([*LOG_KEY, "record_offset"])
    log_ends = log_ends_around(bronze)
    log = merge_log(records, later_markers, positions_before, read_before, log_ends, spill, tasks)
    if bronze.has(UNPLACED_KINDS):
        unplaced = bronze.of_days("bronze.offset_records", kinds).where(F.col("kind").isin(*UNPLACED_KINDS))
        log = with_console_copies(log, unplaced, log_ends)
    log.references.persist(StorageLevel.MEMORY_AND_DISK)
    return log


def merge_log(
    records: TaskRows,
    later_markers: DataFrame,
    positions_before: DataFrame,
    read_before: DataFrame,
    log_ends: LogEnds,
    spill: Spill,
    tasks: int,
) -> SpilledRows:
    """One row per position in the log, and one per record that contradicts another at its position.

    Adds
    - `copies`: how many equal records the row stands for; `contradicted`: whether a better copy says something else;
    - `lost_before`: how many log positions before it are empty; `holes`: how many such gaps the log has between the start
      of the days and the record;
    - `transaction`: none, committed, aborted, or open where no marker has been read;
    - of a commit: the position before it (position_tracker.py) and the nearest log ends (log_ends.py);
    - `furthest`: whether the last record of a day is among these rows; `place`: its place in the order of commits.
    """
    of_spark = later_markers.select(*RECORD_COLUMNS, F.lit(True).alias("later")).unionByName(
        _start_positions(positions_before), allowMissingColumns=True
    )
    types = later_markers.select(*RECORD_COLUMNS).schema
    columns = to_arrow_schema(StructType([*types]).add("later", BooleanType()).add("whole", BooleanType()))
    pieces = [
        rows.source.mapInArrow(functools.partial(_pack, rows.transform, columns, spill), PIECE_TYPES)
        for rows in (records, TaskRows(of_spark))
    ]
    read_to = read_before.groupBy(*LOG_KEY).agg(F.max("log_read_to").alias("log_read_to"))
    by_log = (
        functools.reduce(DataFrame.unionByName, pieces)
        .join(F.broadcast(read_to), [*LOG_KEY], "left")
        # The number is given, because by the size of the references Spark would take one task.
        .repartition(tasks, *LOG_KEY)
        .sortWithinPartitions(*LOG_KEY, "first_offset")
    )
    merged_types = _merged_types(types)
    known_ends = positions_before.sparkSession.sparkContext.broadcast(log_ends)

    def merge_task(pieces: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        logs = map(with_partitions, log_merge.merge_logs(pieces, known_ends.value, spill))
        return spill_tables(logs, merged_types.names, spill)

    return SpilledRows(by_log.mapInArrow(merge_task, SPILLED_TYPES), merged_types, spill)


def with_console_copies(log: SpilledRows, unplaced: DataFrame, log_ends: LogEnds) -> SpilledRows:
    """Adds records that were delivered without a log position: as copies of a record of the log, or as rows of their own."""
    rows = add_console_copies(log.rows(), _with_log_ends(unplaced, log_ends))
    columns, spill = rows.columns, log.spill

    def spill_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return spill_tables(tables_of(batches), columns, spill)

    return SpilledRows(rows.mapInArrow(spill_task, SPILLED_TYPES), rows.schema, spill)


def _start_positions(positions_before: DataFrame) -> DataFrame:
    """The positions that the days start from, as rows that come before all records of their log."""
    placed = positions_before.where("offsets_partition is not null and record_offset is not null")
    known = [name for name in (*LOG_KEY, "record_offset", "day", *CONTENT_COLUMNS) if name in placed.columns]
    return placed.select(*known, F.col("complete").alias("whole"), F.lit(START_POSITION).alias("kind"))


def _merged_types(types: StructType) -> StructType:
    merged = StructType([types[name] for name in RECORD_COLUMNS if name not in _DROPPED])
    for name, kind in {**_ADDED, "previous_committed_at": types["committed_at"].dataType}.items():
        merged.add(name, kind)
    return merged


def _pack(
    transform: ArrowTransform, columns: pa.Schema, spill: Spill, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    tables = (with_columns_of(rows, columns) for rows in transform(batches))
    return pack_pieces((batch for table in tables for batch in table.combine_chunks().to_batches()), spill)


def _with_log_ends(commits: DataFrame, log_ends: LogEnds) -> DataFrame:
    types = StructType([*commits.schema])
    for name in ends_of_logs.LOG_END_COLUMNS:
        types.add(name, LongType())
    known_ends = commits.sparkSession.sparkContext.broadcast(log_ends)

    def add_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in tables_of(batches):
            yield from known_ends.value.with_nearest_ends(rows).combine_chunks().to_batches()

    return commits.mapInArrow(add_task, types)
