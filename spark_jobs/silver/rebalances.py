"""silver.rebalances: every generation that has members, with its cause and its phases.

Log lines and group records of a generation are merged into one row (kafka_telemetry/groups/history/rebalance_row.py).
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.rebalances"


def build(inputs: DayInputs) -> DataFrame:
    return inputs.histories.rebalances.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME, build=build, bronze_kinds=("event", *GROUP_KINDS), states=("silver.stories",), takes_long=True
)
