"""silver.group_owners: which generation is in force and who holds what, from place to place in the log."""

from pyspark.sql import DataFrame

import schemas


def owners(told: DataFrame) -> DataFrame:
    return told.select(*schemas.table("silver.group_owners").column_names)
