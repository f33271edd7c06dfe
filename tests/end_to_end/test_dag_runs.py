"""One real run of the daily DAG: Airflow calls the commands of the layers, and tables are written."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from support.airflow_environment import PROJECT, Airflow, installed_airflow

airflow = pytest.fixture(scope="module")(installed_airflow)


def test_a_run_of_the_daily_dag_builds_a_delivery_from_landing_to_findings(
    airflow: Airflow, small_landing: Path, tmp_path: Path
) -> None:
    day = max(
        date.fromisoformat(folder.name.removeprefix("date=")) for folder in small_landing.glob("*/cluster=*/date=*")
    )
    lake = tmp_path / "lake"
    environment = {"LAGOON_LANDING": str(small_landing), "LAGOON_LAKE": str(lake)}

    migrated = airflow.python("-m", "airflow", "db", "migrate")
    assert migrated.returncode == 0, migrated.stdout
    # The run starts when the day is over. LAGOON_COMMAND is not set, so the project's own command runs.
    ran = airflow.python(
        "-m", "airflow", "dags", "test", "telemetry_daily", str(day + timedelta(days=1)), **environment
    )
    assert ran.returncode == 0, ran.stdout

    commands = [
        f"{PROJECT}/.venv/bin/lagoon {layer} --day {day} --landing {small_landing} --lake {lake}"
        for layer in ("bronze", "silver", "gold", "report")
    ]
    assert [command for command in commands if f"'-c', '{command}'" in ran.stdout] == commands
    for layer in ("bronze", "silver", "gold"):
        assert list((lake / layer).glob("**/*.parquet")), layer
