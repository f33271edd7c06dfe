"""Fixtures of end-to-end tests: gold of the recording by SQL names, and rows of the clusters of recorded_clusters.py."""

import pytest
from pyspark.sql import Row
from support.independent_log_reader import Generation
from support.recorded_clusters import Rebalances, Sessions, TableRows

from spark_jobs.gold.build_gold import BuiltGold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake


@pytest.fixture(scope="module")
def gold_lake(recorded_gold: tuple[Job, BuiltGold]) -> Lake:
    """The lake of the recording of Kafka 4.3, with its tables registered by name in the Spark session."""
    job, _ = recorded_gold
    DbtRunner(job.lake, job.settings).register_tables()
    return job.lake


@pytest.fixture(scope="session")
def table_rows(request: pytest.FixtureRequest) -> TableRows:
    """A function that returns the rows of one table and one cluster."""
    rows_of_table: dict[str, list[Row]] = {}

    def read_table_rows(table: str, cluster: str) -> list[Row]:
        if table not in rows_of_table:
            lakes: list[Lake] = [
                request.getfixturevalue("recorded_job").lake,
                request.getfixturevalue("many_clusters_lake"),
            ]
            rows_of_table[table] = [row for lake in lakes for row in lake.read(table).collect()]
        return [row for row in rows_of_table[table] if row.cluster == cluster]

    return read_table_rows


@pytest.fixture(scope="session")
def rebalances(table_rows: TableRows) -> Rebalances:
    """A function that returns the rebalances of a cluster by group and generation."""

    def read_rebalances(cluster: str) -> dict[Generation, Row]:
        rows = table_rows("silver.rebalances", cluster)
        by_generation = {(row.group_id, row.generation): row for row in rows}
        assert len(by_generation) == len(rows) > 60
        assert {row.incarnation for row in rows} == {1}
        return by_generation

    return read_rebalances


@pytest.fixture(scope="session")
def sessions(table_rows: TableRows) -> Sessions:
    """A function that returns the member sessions of a cluster."""
    return lambda cluster: table_rows("silver.member_sessions", cluster)
