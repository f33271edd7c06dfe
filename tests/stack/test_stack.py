"""The whole stack: two days that its Airflow runs, what people read of them, and what the containers may do."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.lagoon_stack import LagoonStack
from support.lake_contents import gold_contents, table_contents
from support.stack_days import FIRST_DAY, SECOND_DAY, StackDay
from support.stack_rights import published, require_few_rights, secrets_in, services_that_know

from spark_jobs.job import Job
from spark_jobs.lake.catalog import open_to_read

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]

LAGOON = Path(sys.executable).parent / "lagoon"
COMMANDS = ("bronze", "build", "report", "alert")
# Secrets by the services that have to know them.
_KNOWN_BY = {
    "AIRFLOW_ADMIN_PASSWORD": {"airflow-api"},
    "AIRFLOW_DATABASE_PASSWORD": {
        *("postgres", "airflow-init", "airflow-api", "airflow-scheduler", "airflow-dag-processor")
    },
    "AIRFLOW_FERNET_KEY": {"airflow-init", "airflow-api", "airflow-scheduler", "airflow-dag-processor"},
    "AIRFLOW_JWT_SECRET": {"airflow-init", "airflow-api", "airflow-scheduler", "airflow-dag-processor"},
    "DASHBOARD_TOKEN": {"dashboards"},
    "STORE_DELIVERY_SECRET": set(),
    "STORE_PIPELINE_SECRET": {"airflow-scheduler"},
    "STORE_READER_SECRET": {"dashboards", "sql"},
    "SUPERSET_ADMIN_PASSWORD": set(),
    "SUPERSET_DATABASE_PASSWORD": {"postgres"},
    "SUPERSET_SECRET_KEY": set(),
}


def test_nothing_starts_without_secrets(stack: LagoonStack, checkout: Path) -> None:
    empty = checkout.parent / "without-secrets"
    empty.mkdir()
    shutil.copy2(checkout / "docker-compose.yml", empty)
    refused = stack.compose_in(empty, "config", "--quiet")
    assert refused.returncode != 0
    assert "Run make stack-env" in refused.stdout


def test_every_service_is_healthy_before_anything_was_delivered(stack: LagoonStack) -> None:
    airflow = {"airflow-api", "airflow-scheduler", "airflow-dag-processor", "postgres"}
    assert set(stack.containers()) == {*airflow, "dashboards", "sql"}
    assert stack.ask_dashboards("/api/choices", stack.secrets["DASHBOARD_TOKEN"])[1].count('"built":false') == 1


def test_airflow_runs_a_delivered_day(first_day: StackDay) -> None:
    assert first_day.state == "success", first_day.log[-5000:]
    assert {first_day.tasks[command] for command in COMMANDS} == {("success", 1)}
    assert "backfill-job" in first_day.log


def test_findings_are_read_through_thrift_by_a_server_that_started_before_the_tables(
    stack: LagoonStack,
    first_day: StackDay,  # noqa: ARG001
) -> None:
    header, *rows = stack.sql("select group_id, kind, severity from gold.findings order by 1, 2")
    assert header == "group_id,kind,severity"
    assert any(row.startswith("backfill-job,") for row in rows)


def test_the_sql_server_can_not_change_the_lake(
    stack: LagoonStack,
    first_day: StackDay,  # noqa: ARG001
) -> None:
    before = stack.sql("select count(*) from gold.findings")
    for statement in ("delete from gold.findings", "insert into gold.findings select * from gold.findings"):
        with pytest.raises(AssertionError, match=r"Read-only file system|TASK_WRITE_FAILED"):
            stack.sql(statement)
    assert stack.sql("select count(*) from gold.findings") == before


def test_findings_are_read_through_the_dashboards_with_the_token_alone(
    stack: LagoonStack,
    first_day: StackDay,  # noqa: ARG001
) -> None:
    path = f"/api/panel/today/findings?cluster=recorded&day={FIRST_DAY}"
    assert stack.ask_dashboards(path, "another-token-of-enough-letters")[0] == 401
    status, answer = stack.ask_dashboards(path, stack.secrets["DASHBOARD_TOKEN"])
    assert status == 200
    assert "backfill-job" in answer


def test_after_a_restart_of_each_container_the_next_day_runs(second_day: StackDay) -> None:
    assert second_day.state == "success", second_day.log[-5000:]
    assert {second_day.tasks[command] for command in COMMANDS} == {("success", 1)}


def test_tables_equal_those_of_an_embedded_run(
    stack: LagoonStack,
    second_day: StackDay,  # noqa: ARG001
    landing: Path,
    new_job: Callable[..., Job],
    tmp_path: Path,
) -> None:
    for day in (FIRST_DAY, SECOND_DAY):
        for command in COMMANDS[:2]:
            options = ["--day", day, "--landing", landing, "--lake", tmp_path / "embedded"]
            subprocess.run([LAGOON, command, *options], check=True, capture_output=True)
    shutil.copytree(stack.volume("lake"), tmp_path / "stack")
    contents = []
    for lake in (tmp_path / "embedded", tmp_path / "stack"):
        job = new_job(lake, landing)
        open_to_read(job.lake.spark, str(lake))
        contents.append({**table_contents(job.lake), **gold_contents(job.lake)})
    embedded, in_stack = contents
    assert len(embedded["group_health"]) > 10
    assert len(embedded["silver.offset_commits"]) > 100
    assert embedded.keys() == in_stack.keys()
    assert {name for name in embedded if embedded[name] != in_stack[name]} == set()


def test_nothing_is_reached_from_other_machines(stack: LagoonStack) -> None:
    ports = sorted(stack.ports[name] for name in ("AIRFLOW_PORT", "DASHBOARD_PORT", "SQL_PORT"))
    assert published(stack) == [("127.0.0.1", port) for port in ports]
    outside = own_address()
    for port in ports:
        socket.create_connection(("127.0.0.1", port), 5).close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((outside, port), 5)


def test_no_container_has_root_or_can_write_its_image(stack: LagoonStack) -> None:
    require_few_rights(stack)


def test_secrets_are_known_only_to_who_needs_them(
    stack: LagoonStack,
    second_day: StackDay,
) -> None:
    assert services_that_know(stack) == _KNOWN_BY
    assert len(stack.images()) == 3
    assert secrets_in(stack, [second_day.log]) == set()


def own_address() -> str:
    """An address of this machine that others would use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # No packet is sent: the system only chooses the route. The address is one of those kept for documentation.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
