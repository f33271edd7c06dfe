"""A small lake beside files that a query must not read, and the read-only session that queries run in."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.tables import Lake
from spark_jobs.sql.read_only import open_query, read_only_session

_TABLES = {
    "bronze.files": "select 'eu' as cluster, 'a.txt' as source_file, 3L as records",
    "silver.client_configs": "select 'c1' as client_id, map('max.poll.records', '500') as settings",
    "silver.group_members": """select 'orders' as group_id, id as generation, array(named_struct('topic', 'orders',
        'partitions', array(0, 1))) as owned from range(3)""",
    "gold.lag": """select 'eu' as cluster, concat('group-', id % 2) as group_id, 'orders' as topic, cast(id % 3 as int) as
        partition_id, timestamp'2026-11-18 12:00:00' + make_dt_interval(0, 0, cast(id as int)) as sampled_at,
        10 * id as true_lag, if(id > 6, null, 'ok') as status, date'2026-11-18' as day from range(8)""",
    "gold.findings": """select 'eu' as cluster, 'group-0' as group_id, 'redelivery' as kind, 'critical' as severity,
        date'2026-11-18' as day, '{"cost": {"records": 12}}' as evidence""",
    "quality.rejected_rows": "select 'silver.lag_samples' as table_name, array('rule_a', 'rule_b') as rules",
}


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds `lake`, and `outside` with a file of each format that Spark reads."""
    folder = tmp_path_factory.mktemp("sql")
    for name, query in _TABLES.items():
        rows = spark.sql(query).coalesce(1).write.format("delta")
        partitioned = rows.partitionBy("day") if "as day" in query else rows
        partitioned.save(str(folder / "lake" / name.replace(".", "/")))
    secret = spark.sql("select 'secret' as value").coalesce(1)
    for file_format in ("csv", "json", "text", "parquet", "orc", "delta"):
        secret.write.format(file_format).save(str(folder / "outside" / file_format))
    return folder


@pytest.fixture(scope="module")
def lake(spark: SparkSession, folder: Path) -> Lake:
    return open_to_read(read_only_session(spark), str(folder / "lake"))


@pytest.fixture(scope="module")
def run(lake: Lake) -> Callable[[str], DataFrame]:
    """A function that opens a query."""
    return lambda query: open_query(lake, query)


@pytest.fixture
def nothing_changes(folder: Path) -> Iterator[None]:
    """Fails a test that changes, adds or deletes a file of the lake or beside it."""
    before = _checksums(folder)
    yield
    assert len(before) > 50
    assert _checksums(folder) == before


def _checksums(folder: Path) -> dict[Path, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
