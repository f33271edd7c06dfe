"""The records of some days as one log: its copies merged, its holes counted, its transactions resolved, and before each
commit the position that it follows."""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructType

from kafka_telemetry.offsets import log_ends as ends_of_logs
from kafka_telemetry.offsets import log_merge as reading
from kafka_telemetry.offsets import position_tracker
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
from kafka_telemetry.spill import Spill
from spark_jobs.lake.table_files import fitted
from spark_jobs.lake.tables import TaskRows, Work
from spark_jobs.silver.inputs.spilled_rows import Kept

_FOUND = ("delivered_on", "source_file", "source_position")
TOLD = (
    *LOG_KEY,
    "record_offset",
    "day",
    *CONTENT_COLUMNS,
    "transactional",
    "group_hash",
    "batch_leader_epoch",
    *_FOUND,
)
# What a record says that is asked about here alone.
_ASKED_HERE = ("value_version", "key_bytes", "value_bytes", "marker", "transactional", "batch_leader_epoch")
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


def one_log(
    records: TaskRows,
    later_markers: DataFrame,
    read_before: DataFrame,
    standing: DataFrame,
    log_ends: LogEnds,
    spill: Spill,
) -> Kept:
    """One row per place in the log, and one per record that contradicts it there.

    Adds `copies`, `contradicted`, `lost_before` (how many places before it are empty), `holes` (how many such gaps the log
    has between the start of the days and the record), `transaction` (none, committed, aborted, or open where no marker has been seen yet), and what
    spark_jobs/offsets_log/positions.py and log_ends.py tell of a commit. `later_markers` are those that stand in the log
    behind the days looked at, `read_before` how far each log was read before them, `standing` the positions that they
    start from, `log_ends` what trustworthy reporters saw of the topics' logs.
    """
    placed = standing.where("offsets_partition is not null and record_offset is not null")
    of_state = [name for name in (*LOG_KEY, "record_offset", "day", *CONTENT_COLUMNS) if name in placed.columns]
    types = later_markers.select(*TOLD).schema
    of_spark = later_markers.select(*TOLD, F.lit(True).alias("later")).unionByName(
        placed.select(*of_state, F.col("complete").alias("whole"), F.lit(START_POSITION).alias("kind")),
        allowMissingColumns=True,
    )
    columns = to_arrow_schema(StructType([*types]).add("later", BooleanType()).add("whole", BooleanType()))
    pieces = [
        made.rows.mapInArrow(functools.partial(_pack, made.work, columns, spill), PIECE_TYPES)
        for made in (records, TaskRows(of_spark))
    ]
    read_to = read_before.groupBy(*LOG_KEY).agg(F.max("log_read_to").alias("log_read_to"))
    in_order = (
        functools.reduce(DataFrame.unionByName, pieces)
        .join(F.broadcast(read_to), [*LOG_KEY], "left")
        # Told how many: by the size of what travels one would do.
        .repartition(int(standing.sparkSession.conf.get("spark.sql.shuffle.partitions") or 2), *LOG_KEY)
        .sortWithinPartitions(*LOG_KEY, "first_offset")
    )
    at = types["committed_at"].dataType
    types = StructType([types[name] for name in TOLD if name not in _ASKED_HERE])
    for name, kind in {**_ADDED, "previous_committed_at": at}.items():
        types.add(name, kind)
    names = types.names
    known = standing.sparkSession.sparkContext.broadcast(log_ends)

    def read_task(pieces: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return spill_tables(reading.merge_logs(pieces, known.value, spill), names, spill)

    return Kept(in_order.mapInArrow(read_task, SPILLED_TYPES), types, spill)


def _pack(work: Work, columns: pa.Schema, spill: Spill, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    told = (fitted(some, columns).combine_chunks().to_batches() for some in work(rows))
    return pack_pieces((batch for batches in told for batch in batches), spill)


def of_rows(rows: DataFrame, spill: Spill) -> Kept:
    """Rows that Spark made of a log, in pieces again."""
    columns = rows.columns

    def keep_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return spill_tables((pa.Table.from_batches([batch]) for batch in batches), columns, spill)

    return Kept(rows.mapInArrow(keep_task, SPILLED_TYPES), rows.schema, spill)


def with_log_ends(rows: DataFrame, log_ends: LogEnds) -> DataFrame:
    """Adds `log_end_before` and `log_end_after` to rows of commits that stand in no log."""
    types = StructType([*rows.schema])
    for name in ends_of_logs.LOG_END_COLUMNS:
        types.add(name, LongType())
    known = rows.sparkSession.sparkContext.broadcast(log_ends)

    def look_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from known.value.with_nearest_ends(pa.Table.from_batches([batch])).combine_chunks().to_batches()

    return rows.mapInArrow(look_task, types)
