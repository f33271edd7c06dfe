"""silver.read_starts: each time that a member starts to read a partition, and how the reader before stopped.

The lines of clients and the owners in group records are followed by kafka_telemetry/groups/reading/reading_history.py.
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.read_starts"


def build(inputs: DayInputs) -> DataFrame:
    return inputs.histories.read_starts.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME, build=build, bronze_kinds=("event", *GROUP_KINDS), states=("silver.stories",), takes_long=True
)
