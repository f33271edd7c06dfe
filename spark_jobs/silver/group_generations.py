"""silver.group_generations: every generation that a group record writes.

Group records are replayed in log order (inputs/replayed_groups.py). Every record is a parsed row, so that it is counted; only
the first record of a generation fills the columns of this table. The others count as duplicates: they repeat or update it.
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.spilled_rows import SparkRows
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.group_generations"
_IS_FIRST_RECORD = "generation is not null"


def build(inputs: DayInputs) -> DataFrame:
    first_records = inputs.valid(_NAME).where(_IS_FIRST_RECORD)
    return first_records.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME,
    build=build,
    bronze_kinds=GROUP_KINDS,
    parsed=lambda inputs: SparkRows(inputs.groups.generations),
    held_when=_IS_FIRST_RECORD,
    tally_columns=("generation",),
)
