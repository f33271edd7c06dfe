"""Groups and logs whose processing raised an error: they are set aside, and the rest of the day is built.

Values that can't be are rejected when files are parsed. This is the net behind that, for what nobody has foreseen.
"""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from pyspark import AccumulatorParam
from pyspark.sql import SparkSession

_EPOCH = dt.date(1970, 1, 1)


class Problem(NamedTuple):
    """`subject` is what was set aside, as JSON: a group, or a partition."""

    table: str
    cluster: str
    # The first of the days, counted from 1970.
    day: int
    subject: str
    error: str

    @property
    def date(self) -> dt.date:
        return _EPOCH + dt.timedelta(self.day)


class _ProblemSet(AccumulatorParam[frozenset[Problem]]):
    """A task that runs twice reports the same problems."""

    def zero(self, value: frozenset[Problem]) -> frozenset[Problem]:  # noqa: ARG002
        return frozenset()

    def addInPlace(self, value1: frozenset[Problem], value2: frozenset[Problem]) -> frozenset[Problem]:  # noqa: N802
        return value1 | value2


class Problems:
    """Tasks report problems; the driver reads them once the tasks have run."""

    def __init__(self, spark: SparkSession) -> None:
        self._reported = spark.sparkContext.accumulator(frozenset(), _ProblemSet())

    def report(self, table: str, cluster: str, days: Sequence[int], subject: str, error: Exception) -> None:
        message = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        self._reported.add(frozenset({Problem(table, cluster, min(days), subject, message)}))

    def found(self) -> list[Problem]:
        return sorted(self._reported.value)
