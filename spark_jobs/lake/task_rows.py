"""Rows that Spark's tasks produce in Arrow, and which never become rows of the JVM."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

# Runs inside a task: the batches of a source in, rows of a table out.
ArrowTransform = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch | pa.Table]]


def unchanged(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    return batches


@dataclass(frozen=True)
class TaskRows:
    """The rows that `transform` returns for `source`, one task per partition of `source`."""

    source: DataFrame
    transform: ArrowTransform = unchanged


def empty_frame(spark: SparkSession, types: StructType) -> DataFrame:
    """A DataFrame without rows. Spark plans it faster than a filter that matches nothing."""
    return spark.createDataFrame(to_arrow_schema(types).empty_table(), types)
