"""silver.member_sessions: from joining to leaving, as all sources together tell it."""

from pyspark.sql import DataFrame

import schemas


def member_sessions(told: DataFrame) -> DataFrame:
    """`told` are groups' days as silver.group_story tells them."""
    rows = told.where("session is not null").select("session.*")
    return rows.select(*schemas.table("silver.member_sessions").column_names)
