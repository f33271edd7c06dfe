"""silver.rebalances: every generation that has members, as all sources together tell it."""

from pyspark.sql import DataFrame

import schemas


def rebalances(told: DataFrame) -> DataFrame:
    """`told` are groups' days as silver.group_story tells them."""
    rows = told.where("rebalance is not null").select("rebalance.*")
    return rows.select(*schemas.table("silver.rebalances").column_names)
