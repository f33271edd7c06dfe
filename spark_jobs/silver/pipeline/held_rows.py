"""Counts what the tables hold after they were written, so that a row that was lost on the way is noticed."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.lake.ledger import Entry
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.silver_table import SilverTable


def with_held_rows(entries: Sequence[Entry], inputs: DayInputs, tables: Mapping[str, SilverTable]) -> list[Entry]:
    """The entries of slices with the number of rows that the table really holds. Only partition columns are read."""
    names = sorted({entry.table_name for entry in entries if inputs.may_have_rows(tables[entry.table_name])})
    counts = [
        inputs.lake.read(name)
        .where(inputs.slices.where())
        .groupBy("cluster", "day")
        .count()
        .withColumn("table_name", F.lit(name))
        for name in names
    ]
    rows = functools.reduce(DataFrame.unionByName, counts).collect() if counts else []
    held = {(row["cluster"], row["day"], row["table_name"]): row["count"] for row in rows}
    return [
        replace(entry, rows_accepted=held.get((entry.cluster, entry.day, entry.table_name), 0)) for entry in entries
    ]
