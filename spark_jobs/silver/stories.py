"""silver.stories: what a later line may go on with. The next day starts from it."""

from pyspark.sql import DataFrame

import schemas


def stories(told: DataFrame) -> DataFrame:
    """`told` are groups' days as silver.group_story tells them."""
    rows = told.where("story is not null").select("story.*")
    return rows.select(*schemas.table("silver.stories").column_names)
