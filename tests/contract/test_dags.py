"""Rules that every DAG in `dags/` obeys."""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.airflow_environment import PROJECT, Airflow, installed_airflow

airflow = pytest.fixture(scope="module")(installed_airflow)

SHARED = PROJECT / "dags" / "lagoon_tasks.py"
DAG_FILES = sorted(set((PROJECT / "dags").glob("**/*.py")) - {SHARED})
COMMANDS = ["bronze", "build", "report", "alert"]


def facts_of(airflow: Airflow, folder: Path, **environment: str) -> dict[str, Any]:
    facts_file = folder / "facts.json"
    finished = airflow.python(str(Path(__file__).with_name("dag_facts.py")), str(facts_file), **environment)
    assert finished.returncode == 0, finished.stdout
    return dict(json.loads(facts_file.read_text()))


@pytest.fixture(scope="module")
def facts(airflow: Airflow, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return facts_of(airflow, tmp_path_factory.mktemp("dags"))


@pytest.fixture
def daily(facts: dict[str, Any]) -> dict[str, Any]:
    return dict(facts["dags"]["telemetry_daily"])


def test_every_dag_file_is_imported_without_an_error(facts: dict[str, Any]) -> None:
    assert DAG_FILES
    assert facts["import_errors"] == {}
    assert len(facts["dags"]) == len(DAG_FILES)


def test_dags_import_nothing_but_airflow_and_python() -> None:
    assert DAG_FILES
    for file in [*DAG_FILES, SHARED]:
        nodes = list(ast.walk(ast.parse(file.read_text())))
        relative = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        assert not relative
        assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names <= {"airflow", SHARED.stem}


def test_every_dag_is_documented_with_its_schedule(facts: dict[str, Any]) -> None:
    assert facts["dags"]
    for dag in facts["dags"].values():
        assert dag["timetable"] == "CronDataIntervalTimetable"
        assert "CronDataIntervalTimetable" in dag["doc_md"]
        assert dag["tags"]


def test_every_task_has_an_owner_retries_a_time_limit_and_triage_notes(facts: dict[str, Any]) -> None:
    assert facts["dags"]
    for dag in facts["dags"].values():
        assert dag["tasks"]
        for name, task in dag["tasks"].items():
            assert task["owner"] != "airflow", name
            assert task["retries"] >= 1, name
            assert task["seconds_to_retry"] > 0, name
            assert task["backoff"] > 1, name
            assert task["execution_timeout"], name
            assert task["doc_md"], name


def test_a_run_processes_the_utc_day_that_has_just_ended(daily: dict[str, Any]) -> None:
    assert daily["schedule"] == {"expression": "0 0 * * *", "timezone": "UTC"}
    assert daily["interval_on_2026_07_15"] == ["2026-07-14T00:00:00+00:00", "2026-07-15T00:00:00+00:00"]


def test_one_run_at_a_time_writes_the_lake_task_by_task_without_catchup(daily: dict[str, Any]) -> None:
    assert daily["max_active_runs"] == 1
    assert daily["catchup"] is False
    assert [daily["tasks"][command]["after"] for command in COMMANDS] == [[], ["bronze"], ["build"], ["report"]]


def test_every_task_runs_its_command_for_the_day(daily: dict[str, Any]) -> None:
    for command in COMMANDS:
        assert daily["tasks"][command]["command"].startswith(f"{PROJECT}/.venv/bin/lagoon {command} --day {{{{")


def test_a_halted_cluster_does_not_hold_up_the_others_but_fails_the_run(daily: dict[str, Any]) -> None:
    rules = {name: task["trigger_rule"].rpartition(".")[2].lower() for name, task in daily["tasks"].items()}
    assert rules == {
        "bronze": "all_success",
        "build": "all_done",
        "report": "all_done",
        "alert": "all_done",
        "layer_failed": "one_failed",
    }
    assert daily["tasks"]["layer_failed"]["after"] == sorted(COMMANDS)


def test_only_a_command_that_could_not_run_is_retried(daily: dict[str, Any]) -> None:
    for command in COMMANDS:
        assert daily["tasks"][command]["exception_by_exit_code"] == {
            "1": "DataHaltedError",
            "2": "AirflowFailException",
            "3": "AirflowException",
            "99": "AirflowException",
        }
        codes = (2, 3) if command == "alert" else (1, 2, 3)
        assert all(f"exit {code}" in daily["tasks"][command]["doc_md"] for code in codes)


def test_gold_is_an_asset_that_others_can_wait_for(daily: dict[str, Any]) -> None:
    assert {name: task["outlets"] for name, task in daily["tasks"].items() if task["outlets"]} == {
        "build": ["lagoon://lake/gold"]
    }


def test_a_run_that_is_late_and_a_task_that_cannot_run_send_an_alert(daily: dict[str, Any]) -> None:
    assert daily["deadline"] == ["DagRunQueuedAtDeadline", 6 * 3600, "lagoon_tasks.alert_of_late_run"]
    assert {command for command in COMMANDS if daily["tasks"][command]["alerts"]} == set(COMMANDS)


def test_a_task_has_no_links_where_no_dashboard_is_served(facts: dict[str, Any]) -> None:
    assert facts["dags"]
    assert [task["links"] for dag in facts["dags"].values() for task in dag["tasks"].values() if task["links"]] == []


def test_all_tasks_that_write_the_lake_share_a_pool(facts: dict[str, Any]) -> None:
    pools = {facts["dags"]["telemetry_daily"]["tasks"][command]["pool"] for command in COMMANDS}
    assert pools == {facts["dags"]["lake_upkeep"]["tasks"]["upkeep"]["pool"]} == {"default_pool"}


def test_environment_variables_fit_the_dags_to_an_airflow(airflow: Airflow, tmp_path: Path) -> None:
    """Those of docs/airflow.md."""
    command = "docker run --rm -v /data:/data lagoon:1 lagoon"
    landing, lake, config = "s3a://telemetry/landing", "s3a://telemetry/lake", "/etc/lagoon.toml"
    facts = facts_of(
        *(airflow, tmp_path),
        LAGOON_COMMAND=command,
        LAGOON_LANDING=landing,
        LAGOON_LAKE=lake,
        LAGOON_CONFIG=config,
        LAGOON_POOL="lagoon",
        LAGOON_FIRST_DAY="2026-11-01",
        LAGOON_LAST_DAY="2026-11-30",
        LAGOON_RETRY_MINUTES="2",
        LAGOON_LATE_AFTER_HOURS="0",
        LAGOON_DASHBOARD_URL="https://lagoon.example.org/",
    )
    assert facts["import_errors"] == {}
    daily, weekly = facts["dags"]["telemetry_daily"], facts["dags"]["lake_upkeep"]
    assert daily["catchup"] is True
    assert daily["first_and_last_day"] == ["2026-11-01", "2026-11-30"]
    assert daily["deadline"] == []
    for dag, commands in ((daily, COMMANDS), (weekly, ["upkeep"])):
        assert dag["params"] == {"day": None, "landing": landing, "lake": lake, "config": config}
        for name in commands:
            task = dag["tasks"][name]
            assert task["command"].startswith(f"{command} {name}")
            assert task["pool"] == "lagoon"
            assert task["seconds_to_retry"] == 120
            assert task["links"] == ["Dashboards of this day", "Report of this day", "What every rule found"]


def test_upkeep_runs_once_a_week_in_the_pool_of_the_writers(facts: dict[str, Any]) -> None:
    weekly = facts["dags"]["lake_upkeep"]
    assert weekly["schedule"] == {"expression": "0 12 * * 0", "timezone": "UTC"}
    assert weekly["catchup"] is False
    assert weekly["max_active_runs"] == 1
    assert list(weekly["tasks"]) == ["upkeep"]
    assert weekly["tasks"]["upkeep"]["command"].startswith(f"{PROJECT}/.venv/bin/lagoon upkeep")
    assert weekly["tasks"]["upkeep"]["alerts"]
