"""silver.client_configs: the settings that consumers printed when they started."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.log_lines import CONFIG
from spark_jobs.silver.inputs.spilled_rows import Kept


def configs(lines: Kept) -> DataFrame:
    """`lines` are log lines, each once."""
    columns = schemas.table("silver.client_configs").column_names
    told = lines.rows("happened_at", *(name for name in columns if name in lines.types.names), where=CONFIG)
    return told.withColumn("started_at", F.col("happened_at")).select(*columns)
