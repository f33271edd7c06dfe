"""Answers of SQL queries as sets."""

from spark_jobs.lake.tables import Lake


def sql_rows(lake: Lake, query: str) -> set[tuple[object, ...]]:
    """The distinct rows of a query by the names of the lake's tables."""
    return {tuple(row) for row in lake.spark.sql(query).collect()}
