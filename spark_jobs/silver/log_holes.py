"""silver.log_holes: where a log of `__consumer_offsets` lacks records: compacted, or never delivered.

One row per gap between two records of the merged log, at the record behind the gap.
"""

import pyarrow.compute as pc
from pyspark.sql import DataFrame

import schemas
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.bronze_kinds import LOG_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.log_holes"
_BEHIND_A_GAP = RowFilter(pc.field("lost_before") > 0, ("lost_before",))


def build(inputs: DayInputs) -> DataFrame:
    return inputs.log.rows(*schemas.table(_NAME).column_names, where=_BEHIND_A_GAP)


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=LOG_KINDS)
