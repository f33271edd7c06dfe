"""silver.group_members: who was in each generation, what each subscribed to, and what each was given."""

from pyspark.sql import DataFrame

import schemas


def members(lawful: DataFrame) -> DataFrame:
    return lawful.select(*schemas.table("silver.group_members").column_names)
