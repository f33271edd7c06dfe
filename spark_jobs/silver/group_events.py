"""silver.group_events: the understood log lines of brokers and clients about consumer groups, each once."""

import schemas
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.group_events"


def build(inputs: DayInputs) -> list[TaskRows]:
    return [inputs.events.task_rows(schemas.table(_NAME).column_names)]


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=("event",), parsed=lambda inputs: inputs.events)
