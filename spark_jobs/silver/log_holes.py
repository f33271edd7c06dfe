"""silver.log_holes: where a log lacks records, taken by compaction or never delivered."""

import pyarrow.compute as pc
from pyspark.sql import DataFrame

import schemas
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import Kept

_BEHIND_A_GAP = RowFilter(pc.field("lost_before") > 0, ("lost_before",))


def log_holes(log: Kept) -> DataFrame:
    """One row per gap between two records of a log, at the record behind it."""
    return log.rows(*schemas.table("silver.log_holes").column_names, where=_BEHIND_A_GAP)
