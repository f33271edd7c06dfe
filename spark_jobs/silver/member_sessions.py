"""silver.member_sessions: one row per member of a group, from joining to leaving.

Log lines and group records of a member are merged into one row (kafka_telemetry/groups/history/member_session.py).
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.member_sessions"


def build(inputs: DayInputs) -> DataFrame:
    return inputs.histories.sessions.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME, build=build, bronze_kinds=("event", *GROUP_KINDS), states=("silver.stories",), takes_long=True
)
