"""The records of some days as one log: its copies merged, its holes counted, its transactions resolved."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StringType, StructType

from spark_jobs.offsets_log import one_log as reading
from spark_jobs.offsets_log.copies import CONTENT

_LOG = ("cluster", "offsets_partition")
_FOUND = ("delivered_on", "source_file", "source_position")
# What a record says that is asked about here alone.
_ASKED_HERE = ("value_version", "key_bytes", "value_bytes", "marker")


def one_log(records: DataFrame, later_markers: DataFrame, read_before: DataFrame) -> DataFrame:
    """One row per place in the log, and one per record that contradicts it there.

    Adds `copies`, `contradicted`, `holes` (how many gaps the log has between the start of the days and the record) and
    `transaction`: none, committed, aborted, or open where no marker has been seen yet. `later_markers` are those that stand
    in the log behind the days looked at, `read_before` how far each log was read before them.
    """
    told = [*_LOG, "record_offset", "day", *CONTENT, "transactional", "group_hash", "batch_leader_epoch", *_FOUND]
    read_to = read_before.groupBy(*_LOG).agg(F.max("log_read_to").alias("log_read_to"))
    rows = records.select(*told, F.lit(False).alias("later")).unionByName(
        later_markers.select(*told, F.lit(True).alias("later"))
    )
    in_order = (
        rows.join(F.broadcast(read_to), [*_LOG], "left").repartition(*_LOG).sortWithinPartitions(*_LOG, "record_offset")
    )
    kept = [name for name in told if name not in (*_ASKED_HERE, "transactional", "batch_leader_epoch")]
    types = StructType([records.schema[name] for name in kept])
    types.add("copies", LongType()).add("contradicted", BooleanType())
    types.add("holes", LongType()).add("transaction", StringType())
    columns = types.names

    def read_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return reading.one_log(batches, columns)

    return in_order.mapInArrow(read_task, types)
