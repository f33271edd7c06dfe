"""The changes of each group's generation and of who owns each partition, in log order."""

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas

if TYPE_CHECKING:
    from spark_jobs.silver.inputs.day_inputs import DayInputs

_GROUP_DAY = ["cluster", "day", "group_id"]


def owner_changes(inputs: "DayInputs") -> DataFrame:
    """Rows of silver.group_owners. Group records report them; where a group has none on a day, the generations that logs
    report stand in, without owners."""
    return merge_owner_changes(inputs.groups.owner_changes, inputs.histories.rebalances)


def merge_owner_changes(recorded: DataFrame, rebalances: DataFrame) -> DataFrame:
    columns = schemas.table("silver.group_owners").column_names
    logged = rebalances.where("completed_at is not null").join(
        recorded.select(*_GROUP_DAY).distinct(), _GROUP_DAY, "left_anti"
    )
    by_time = logged.select(
        *(*_GROUP_DAY, "incarnation", "generation", "group_type"),
        F.col("members_after").alias("member_count"),
        F.col("completed_at").alias("since"),
        F.array().cast(recorded.schema["held"].dataType).alias("held"),
    )
    return recorded.select(*columns).unionByName(by_time, allowMissingColumns=True).select(*columns)
