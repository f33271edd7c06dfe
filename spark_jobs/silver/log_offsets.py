"""silver.log_offsets: the start and end of each log as each reporter saw them.

One row per reporter, time and partition; several readings of one moment agree on the furthest end (inputs/lag_series.py).
"""

import schemas
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.log_offsets"


def build(inputs: DayInputs) -> list[TaskRows]:
    return [inputs.lag.log_ends.task_rows(schemas.table(_NAME).column_names)]


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=LAG_KINDS)
