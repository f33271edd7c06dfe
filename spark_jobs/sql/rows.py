"""The rows of a query, however many: a large result is never held in memory as a whole."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import CalendarIntervalType, DataType, VariantType, YearMonthIntervalType

from spark_jobs.spark.session import tune_for
from spark_jobs.sql.task_stream import stream_batches

Rows = Iterator[tuple[Any, ...]]

_COLLECTED_ROWS = 10_000
_MANY_ROWS = 1_000_000


def stream_rows(frame: DataFrame, at_most: int | None = None) -> Rows:
    """The rows of the frame, or the first ones."""
    # Two columns of a query may have one name.
    numbered = frame.toDF(*(str(number) for number in range(len(frame.columns))))
    readable = numbered.select(*(_readable(field.name, field.dataType) for field in numbered.schema))
    collected = readable.limit(_COLLECTED_ROWS + 1 if at_most is None else at_most).collect()
    if at_most is not None or len(collected) <= _COLLECTED_ROWS:
        yield from map(tuple, collected)
        return
    del collected
    tune_for(frame.sparkSession, _MANY_ROWS)
    if str(frame.sparkSession.sparkContext.master).startswith("local"):
        for batch in stream_batches(readable):
            yield from zip(*(column.to_pylist(maps_as_pydicts="lossy") for column in batch.columns), strict=True)
    else:  # Tasks on other machines can't reach a socket of this one. One partition at a time is held in memory.
        yield from map(tuple, readable.toLocalIterator())


def _readable(name: str, kind: DataType) -> Column:
    """The column, as text where Python has no values of its type."""
    if isinstance(kind, CalendarIntervalType | YearMonthIntervalType):
        return F.col(name).cast("string").alias(name)
    return F.to_json(name).alias(name) if isinstance(kind, VariantType) else F.col(name)
