"""silver.stories: the state of each group's history at the end of a day. The next day's log lines continue from it.

Open sessions, a rebalance under way, the last generation: see kafka_telemetry/groups/history/history_state.py.
"""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.stories"


def build(inputs: DayInputs) -> DataFrame:
    return inputs.histories.states.select(*schemas.table(_NAME).column_names)


TABLE = SilverTable(
    name=_NAME, build=build, bronze_kinds=("event", *GROUP_KINDS), states=(_NAME,), is_state=True, takes_long=True
)
