"""silver.group_members: the members of each generation, with their subscription and assignment.

Members are nested in group records, which are replayed in log order (inputs/replayed_groups.py).
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.spilled_rows import SparkRows
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.group_members"
_GENERATION = ("cluster", "group_id", "incarnation", "generation")


def build(inputs: DayInputs) -> DataFrame:
    reasons = (
        inputs.histories.rebalances.groupBy(*_GENERATION)
        .agg(F.min("reason").alias("rebalance_reason"))
        .hint("broadcast")
    )
    members = inputs.valid(_NAME).drop("rebalance_reason").join(reasons, [*_GENERATION], "left")
    return members.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME,
    build=build,
    bronze_kinds=GROUP_KINDS,
    parsed=lambda inputs: SparkRows(inputs.groups.members),
    counted_by_reader=False,
)
