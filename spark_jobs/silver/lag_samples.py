"""silver.lag_samples: what reporters told of groups' positions, and what it means."""

import re
from collections.abc import Sequence

from pyspark.sql import DataFrame

import schemas
from expectations.rule import Rule
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.lag_series import LagSeries

_COUNTED = ("cluster", "day", "delivered_on", "copies")


def offered(series: LagSeries) -> DataFrame:
    """Each sample once, `copies` telling how many it stands for."""
    return series.samples.rows()


def narrow(series: LagSeries, rules: Sequence[Rule]) -> DataFrame:
    """Only what the rules judge by, and what is counted."""
    words = {word for rule in rules for word in re.findall(r"\w+", rule.broken_when)}
    asked = [name for name in series.samples.types.names if name in words or name in _COUNTED]
    return series.samples.rows(*asked)


def made(series: LagSeries) -> TaskRows:
    """All samples, as they are where none was rejected."""
    return series.samples.made(schemas.table("silver.lag_samples").column_names)
