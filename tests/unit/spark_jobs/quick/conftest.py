"""The quick engine on a small lake that is written without Spark."""

from pathlib import Path

import pytest
from support.delta_lake import write_lake

from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine


@pytest.fixture(scope="session")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lake(tmp_path_factory.mktemp("quick") / "lake")


@pytest.fixture(scope="session")
def engine(lake_folder: Path) -> QuickEngine:
    return QuickEngine(DeltaTables(str(lake_folder)), seconds=20)
