"""silver.group_events: what brokers and consumers wrote about groups, as far as it is understood."""

import schemas
from spark_jobs.lake import TaskRows
from spark_jobs.silver.kept import Kept
from spark_jobs.silver.log_lines import EVENT


def events(lines: Kept) -> TaskRows:
    """`lines` are log lines, each once."""
    return lines.made(schemas.table("silver.group_events").column_names, EVENT)
