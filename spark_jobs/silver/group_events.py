"""silver.group_events: what brokers and consumers wrote about groups, as far as it is understood."""

from pyspark.sql import DataFrame

import schemas


def offered(lines: DataFrame) -> DataFrame:
    """`lines` are log lines, each once."""
    return lines.where("kind = 'event'").select(*schemas.table("silver.group_events").column_names, "copies")


def events(lawful: DataFrame) -> DataFrame:
    return lawful.select(*schemas.table("silver.group_events").column_names)
