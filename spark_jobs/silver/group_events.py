"""silver.group_events: what brokers and consumers wrote about groups, as far as it is understood."""

import schemas
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.log_lines import EVENT
from spark_jobs.silver.inputs.spilled_rows import Kept


def events(lines: Kept) -> TaskRows:
    """`lines` are log lines, each once."""
    return lines.made(schemas.table("silver.group_events").column_names, EVENT)
