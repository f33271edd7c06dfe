"""silver.client_configs: the settings that consumers printed when they started, beside what happened to them that day."""

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.client_configs"
_CLIENT = ("cluster", "day", "group_id", "client_id")
_IS_BROKER = RowFilter(pc.field("event") == "broker_configured", ("event",))


def build(inputs: DayInputs) -> DataFrame:
    columns = schemas.table(_NAME).column_names
    lines = inputs.configs.rows("happened_at", *(name for name in columns if name in inputs.configs.columns))
    return (
        lines.withColumn("started_at", F.col("happened_at"))
        .join(F.broadcast(_largest_messages(inputs)), ["cluster", "day"], "left")
        .join(F.broadcast(_poll_interval_leaves(inputs)), [*_CLIENT], "left")
        .select(*columns)
    )


def _largest_messages(inputs: DayInputs) -> DataFrame:
    """Of each cluster and day: the largest message that a broker which started that day accepts."""
    largest = F.max(F.expr("try_cast(details['message.max.bytes'] as bigint)"))
    brokers = inputs.events.rows("cluster", "day", "details", where=_IS_BROKER)
    return brokers.groupBy("cluster", "day").agg(largest.alias("largest_message_bytes"))


def _poll_interval_leaves(inputs: DayInputs) -> DataFrame:
    leaves = F.count_if(F.coalesce(F.col("ended_by") == "poll_interval", F.lit(False)))
    return inputs.histories.sessions.groupBy(*_CLIENT).agg(leaves.alias("poll_interval_leaves"))


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=("config",), parsed=lambda inputs: inputs.configs)
