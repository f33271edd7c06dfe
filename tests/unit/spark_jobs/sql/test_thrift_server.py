"""`lagoon thrift-server`: a JDBC client reads the tables of a lake, also those that came later."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from deltalake import DeltaTable, write_deltalake
from support.beeline import AS_CSV, BEELINE, answered_lines
from support.delta_lake import TABLES, write_lake
from support.local_airflow import wait_for
from support.thrift_server import thrift_server

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = write_lake(tmp_path / "lake")
    (folder / "quality").mkdir()
    return folder


@pytest.fixture
def address(lake: Path) -> Iterator[str]:
    with thrift_server(lake) as port:
        yield f"jdbc:hive2://127.0.0.1:{port}/gold"


def ask(address: str, query: str) -> list[str]:
    """The answer as lines of CSV, or the error."""
    done = subprocess.run(
        [SPARK_CLASS, *BEELINE, "-u", address, *AS_CSV, "-e", query],
        capture_output=True,
        text=True,
        check=False,
    )
    return answered_lines(done.stdout) or [done.stderr]


def test_tables_are_answered_from_and_new_ones_without_a_restart(address: str, lake: Path) -> None:
    assert ask(address, "select group_id, title from findings") == [
        "group_id,title",
        "orders,<script>alert(1)</script>",
    ]
    assert "TABLE_OR_VIEW_NOT_FOUND" in ask(address, "select * from gold.commits")[0]

    write_deltalake(lake / "gold" / "commits", TABLES["gold.findings"])
    write_deltalake(lake / "gold" / "findings", TABLES["gold.findings"], mode="append")

    assert ask(address, "select count(*) as n from gold.findings") == ["n", "2"]
    wait_for(lambda: ask(address, "select count(*) as n from gold.commits") == ["n", "1"], seconds=60)
    assert DeltaTable(lake / "gold" / "findings").version() == 1
