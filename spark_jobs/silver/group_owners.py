"""silver.group_owners: which generation is in force and who holds what, from place to place in the log."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas

_GROUP = ["cluster", "day", "group_id"]


def owners(told: DataFrame, rebalances: DataFrame) -> DataFrame:
    """`told` are the changes that group records tell; of a group that none tells of on a day, logs tell generations."""
    columns = schemas.table("silver.group_owners").column_names
    logged = rebalances.where("completed_at is not null").join(told.select(*_GROUP).distinct(), _GROUP, "left_anti")
    by_time = logged.select(
        *(*_GROUP, "incarnation", "generation", "group_type"),
        F.col("members_after").alias("member_count"),
        F.col("completed_at").alias("since"),
        F.array().cast(told.schema["held"].dataType).alias("held"),
    )
    return told.select(*columns).unionByName(by_time, allowMissingColumns=True).select(*columns)
