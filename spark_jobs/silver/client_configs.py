"""silver.client_configs: the settings that consumers printed when they started."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas


def offered(lines: DataFrame) -> DataFrame:
    """`lines` are log lines, each once."""
    return (
        lines.where("kind = 'config'")
        .withColumn("started_at", F.col("happened_at"))
        .select(*schemas.table("silver.client_configs").column_names, "copies")
    )


def configs(lawful: DataFrame) -> DataFrame:
    return lawful.select(*schemas.table("silver.client_configs").column_names)
