"""The findings that `lagoon report` prints."""

import datetime as dt
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.tables import Lake
from spark_jobs.progress import Progress
from spark_jobs.report.findings import print_findings

DAY = dt.date(2026, 11, 18)
CLUSTERS = ["o'brien", "back\\slash", "eu"]
FINDING = {
    "day": DAY,
    "group_id": "billing",
    "severity": "warning",
    "title": "billing rebalanced often",
    "evidence": "18 rebalances",
    "cost": "2.5 partition-minutes without reading",
    "recommendation": "Set group.instance.id",
    "expected_effect": "Fewer rebalances",
    "rank": 1,
}
HEALTH = {"day": DAY, "group_id": "billing", "topics": 1, "redelivered": 0}


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    uri = str(tmp_path_factory.mktemp("report") / "lake")
    for table, row in (("findings", FINDING), ("group_health", HEALTH)):
        rows = spark.createDataFrame([{"cluster": cluster, **row} for cluster in CLUSTERS])
        rows.coalesce(1).write.format("delta").save(f"{uri}/gold/{table}")
    return open_to_read(spark, uri)


def test_findings_are_printed_whatever_characters_the_name_of_the_cluster_has(lake: Lake, tmp_path: Path) -> None:
    with (tmp_path / "printed.txt").open("w+") as printed:
        print_findings(
            lake, {(cluster, DAY) for cluster in CLUSTERS}, Progress(Console(file=printed), Console(file=printed))
        )
        printed.seek(0)
        lines = printed.read().splitlines()
    headings = [line for line in lines if line.startswith(str(DAY))]
    assert headings == [f"{DAY}  {cluster}   1 groups, 1 warning" for cluster in sorted(CLUSTERS)]
    assert sum("billing rebalanced often" in line for line in lines) == len(CLUSTERS)
