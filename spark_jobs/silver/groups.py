"""silver.groups: each group as its coordinator knows it at the end of a day. The next day starts from it.

Group records are replayed in log order (inputs/replayed_groups.py); `heap` is the coordinator's memory of the group.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.end_of_day import LOG
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.groups"


def build(inputs: DayInputs) -> DataFrame:
    return (
        inputs.groups.groups.join(F.broadcast(inputs.logs_read()), [*LOG, "day"], "left")
        # Whether the log has no hole behind the last record of the group.
        .withColumn("complete", F.col("holes") == F.col("log_holes"))
        .select(*schemas.table(_NAME).column_names)
    )


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=GROUP_KINDS, states=(_NAME,), is_state=True)
