"""silver.group_generations: every generation that group records tell of."""

from pyspark.sql import DataFrame

import schemas


def generations(lawful: DataFrame) -> DataFrame:
    """`lawful` are the accepted group records, of which those that are the first of a generation tell it."""
    return lawful.where("generation is not null").select(*schemas.table("silver.group_generations").column_names)
