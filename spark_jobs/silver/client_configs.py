"""silver.client_configs: the settings that consumers printed when they started."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.client_configs"


def build(inputs: DayInputs) -> DataFrame:
    columns = schemas.table(_NAME).column_names
    lines = inputs.configs.rows("happened_at", *(name for name in columns if name in inputs.configs.columns))
    return lines.withColumn("started_at", F.col("happened_at")).select(*columns)


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=("config",), parsed=lambda inputs: inputs.configs)
