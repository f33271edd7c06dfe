"""The tables that a layer wrote in one run, and what each was built from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import functions as F

import schemas
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lineage.gold_models import gold_models
from spark_jobs.lineage.select_columns import Origin
from spark_jobs.silver.inputs import bronze_kinds
from spark_jobs.silver.pipeline.registry import silver_tables


@dataclass(frozen=True)
class LandingFolder:
    """A folder of landing, as an input."""

    uri: str


@dataclass(frozen=True)
class WrittenTable:
    name: str
    inputs: Sequence[str | LandingFolder]
    columns: Sequence[schemas.Column]
    # The rows that the run accepted; None where the ledger does not count them.
    rows: int | None = None
    # What each column is computed from. Known for SQL only: bronze and silver are built by Python.
    origins: Mapping[str, Iterable[Origin]] = field(default_factory=dict)


def written_tables(job: Job, layer: str) -> list[WrittenTable]:
    written = _rows_by_table(job, layer)
    if layer == "gold":
        models = gold_models(DbtRunner(job.lake, job.settings).target()) if written else []
        return [WrittenTable(model.table, model.inputs, model.columns, origins=model.origins) for model in models]
    return [
        WrittenTable(
            table,
            _inputs_of_bronze(job, table) if layer == "bronze" else _inputs_of_silver(table),
            schemas.table(table).columns,
            rows,
        )
        for table, rows in sorted(written.items())
        if rows
    ]


def _rows_by_table(job: Job, layer: str) -> dict[str, int]:
    """The rows of each table that this run accepted, as the ledger has them."""
    of_run = (F.col("run_id") == job.run.run_id) & (F.col("layer") == layer)
    totals = job.lake.read("quality.runs").where(of_run).groupBy("table_name").agg(F.sum("rows_accepted").alias("rows"))
    return {row.table_name: row.rows for row in totals.collect()}


def _inputs_of_bronze(job: Job, table: str) -> list[LandingFolder]:
    landing = job.settings.landing.rstrip("/")
    return [LandingFolder(f"{landing}/{source.name}") for source in BRONZE_SOURCES.values() if source.table == table]


def _inputs_of_silver(table: str) -> list[str]:
    kinds = set(silver_tables()[table].bronze_kinds) if table in silver_tables() else set()
    return [bronze_table for bronze_table, of_table in bronze_kinds.KINDS_OF_TABLES.items() if kinds & set(of_table)]
