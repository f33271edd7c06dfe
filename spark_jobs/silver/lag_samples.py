"""silver.lag_samples: each position of a group that a reporter sampled, and what else is known at that moment.

All readings of one log are sorted in one task (inputs/lag_series.py): copies become one sample, and each sample gets the log
start, the log ends and the sample before it.
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.lag_samples"


def build(inputs: DayInputs) -> DataFrame | list[TaskRows]:
    columns = schemas.table(_NAME).column_names
    if inputs.counts.any_rejected(_NAME):
        return inputs.valid(_NAME).select(*columns)
    # All samples are valid: they go to files as they are.
    return [inputs.lag.samples.task_rows(columns)]


TABLE = SilverTable(
    name=_NAME, build=build, bronze_kinds=("group_offset",), parsed=lambda inputs: inputs.lag.samples, takes_long=True
)
