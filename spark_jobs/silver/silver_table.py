"""SilverTable: the declaration by which the pipeline knows a silver table."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from spark_jobs.lake.tables import Lake
from spark_jobs.lake.task_rows import TaskRows

if TYPE_CHECKING:
    from spark_jobs.silver.inputs.day_inputs import DayInputs
    from spark_jobs.silver.inputs.spilled_rows import ParsedRows

# Rows as Spark computes them, or as tasks compute them in Arrow, which then go to files without passing through Spark.
Rows = DataFrame | Sequence[TaskRows]


@dataclass(frozen=True)
class SilverTable:
    """How the rows of one silver table come to be. A table's module declares it as `TABLE`; nothing else lists it."""

    name: str
    # The rows of the table for the days of the inputs.
    build: Callable[["DayInputs"], Rows]
    # Kinds of bronze rows, and end-of-day states, that the table is built from: without any of them it has no rows.
    bronze_kinds: tuple[str, ...]
    states: tuple[str, ...] = ()
    # Whether the table is itself an end-of-day state, from which the next day starts.
    is_state: bool = False
    # The rows before validation. Tables without it are derived from rows that were validated.
    parsed: Callable[["DayInputs"], "ParsedRows"] | None = None
    # Adds to rows of the finished table what only its rules on accepted rows need.
    judged_with: Callable[["DayInputs", DataFrame], DataFrame] | None = None
    # Columns that only accepted rows have: they depend on which other rows were accepted. Quarantine leaves them out.
    accepted_columns: tuple[str, ...] = ()
    # Which valid parsed rows become rows of the table, as SQL over `tally_columns`.
    held_when: str = "true"
    # More aggregates of the parsed rows, as SQL by name, and the columns that they need; counted when rows are validated.
    tallies: Mapping[str, str] = field(default_factory=dict)
    tally_columns: tuple[str, ...] = ()
    # Whether readers count the rows. Rows that are nested in others are counted when they are validated.
    counted_by_reader: bool = True
    # The earlier days that wait for something which these deliveries (days by cluster) bring.
    finished_days: Callable[[Lake, Mapping[str, Set[dt.date]]], set[tuple[str, dt.date]]] | None = None
    # Tables that take long are written first.
    takes_long: bool = False
