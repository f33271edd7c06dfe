"""Runs Airflow from its own virtual environment: tests of `dags/` never import it."""

import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


class Airflow:
    """Airflow with a new home folder, and without the settings of the shell that runs the tests."""

    def __init__(self, home: Path) -> None:
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW_", "LAGOON_"))
        } | {
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(PROJECT / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        }

    def python(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [PROJECT / ".venv-airflow" / "bin" / "python", *arguments],
            env=self.environment | environment,
            cwd=PROJECT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )


def installed_airflow(tmp_path_factory: pytest.TempPathFactory) -> Airflow:
    """Installs Airflow unless it is installed already."""
    subprocess.run(["make", "airflow-setup"], cwd=PROJECT, check=True)
    return Airflow(tmp_path_factory.mktemp("airflow"))
