"""silver.groups: what the coordinator knows of every group when a day ends. The next day starts from it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.end_of_day import LOG


def groups(followed: DataFrame, logs: DataFrame) -> DataFrame:
    """`followed` are the groups as each day leaves them, `logs` how far the logs were read when each day ended."""
    return (
        followed.join(F.broadcast(logs), [*LOG, "day"], "left")
        .withColumn("complete", F.col("holes") == F.col("log_holes"))
        .select(*schemas.table("silver.groups").column_names)
    )
