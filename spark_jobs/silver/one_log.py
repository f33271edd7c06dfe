"""The records of some days as one log: its copies merged, its holes counted, its transactions resolved, and before each
commit the position that it follows."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StringType, StructType

from spark_jobs.offsets_log import one_log as reading
from spark_jobs.offsets_log.copies import CONTENT
from spark_jobs.offsets_log.pieces import LOG, PIECES, STANDING, packed
from spark_jobs.offsets_log.positions import ADDED

_FOUND = ("delivered_on", "source_file", "source_position")
# What a record says that is asked about here alone.
_ASKED_HERE = ("value_version", "key_bytes", "value_bytes", "marker")
_TIMES = ("previous_committed_at",)
_NUMBERS = ("previous_committed_offset", "previous_record_offset")


def one_log(records: DataFrame, later_markers: DataFrame, read_before: DataFrame, standing: DataFrame) -> DataFrame:
    """One row per place in the log, and one per record that contradicts it there.

    Adds `copies`, `contradicted`, `holes` (how many gaps the log has between the start of the days and the record),
    `transaction` (none, committed, aborted, or open where no marker has been seen yet) and what spark_jobs/offsets_log/
    positions.py tells of the position before a commit, as if all were lawful. `later_markers` are those that stand in the
    log behind the days looked at, `read_before` how far each log was read before them, `standing` the positions that they
    start from.
    """
    told = [*LOG, "record_offset", "day", *CONTENT, "transactional", "group_hash", "batch_leader_epoch", *_FOUND]
    positions = standing.where("offsets_partition is not null and record_offset is not null")
    of_state = [name for name in (*LOG, "record_offset", "day", *CONTENT) if name in positions.columns]
    rows = (
        records.select(*told, F.lit(False).alias("later"), F.lit(None).cast("boolean").alias("whole"))
        .unionByName(later_markers.select(*told, F.lit(True).alias("later")), allowMissingColumns=True)
        .unionByName(
            positions.select(*of_state, F.col("complete").alias("whole"), F.lit(STANDING).alias("kind")),
            allowMissingColumns=True,
        )
    )
    read_to = read_before.groupBy(*LOG).agg(F.max("log_read_to").alias("log_read_to"))
    in_order = (
        rows.mapInArrow(packed, PIECES)
        .join(F.broadcast(read_to), [*LOG], "left")
        .repartition(*LOG)
        .sortWithinPartitions(*LOG, "first_offset")
    )
    kept = [name for name in told if name not in (*_ASKED_HERE, "transactional", "batch_leader_epoch")]
    types = StructType([records.schema[name] for name in kept])
    types.add("copies", LongType()).add("contradicted", BooleanType())
    types.add("holes", LongType()).add("transaction", StringType())
    for name in ADDED:
        of_time = records.schema["committed_at"].dataType if name in _TIMES else None
        types.add(name, of_time or (LongType() if name in _NUMBERS else BooleanType()))
    columns = types.names

    def read_task(pieces: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return reading.one_log(pieces, columns)

    return in_order.mapInArrow(read_task, types)
