"""`make airflow`: only this machine can reach what it starts, only this user can read what it writes, and it ends as a whole."""

import os
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.airflow_environment import PROJECT, installed_airflow
from support.local_airflow import LocalAirflow, processes, processes_of, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), pytest.mark.usefixtures("airflow_environment")]

airflow_environment = pytest.fixture(scope="module")(installed_airflow)

# Printed as `pid address:port` for each socket that a descendant of the process listens on.
_LISTENING = """
import psutil, sys
for process in psutil.Process(int(sys.argv[1])).children(recursive=True):
    try:
        sockets = process.net_connections("inet")
    except psutil.NoSuchProcess:  # It parsed a file, and has ended.
        continue
    for socket in sockets:
        if socket.status == psutil.CONN_LISTEN:
            print(process.pid, socket.laddr.ip)
"""


@pytest.fixture
def airflow(airflow_environment: object, tmp_path: Path) -> Iterator[LocalAirflow]:  # noqa: ARG001
    # Tasks that go on until they are stopped.
    airflow = LocalAirflow(tmp_path / "home", LAGOON_COMMAND="exec sleep 3600 #", LAGOON_LAKE=str(tmp_path / "lake"))
    airflow.start()
    try:
        yield airflow
    finally:
        airflow.stop()


def test_everything_listens_on_loopback_and_all_files_belong_to_their_user_alone(airflow: LocalAirflow) -> None:
    python = PROJECT / ".venv-airflow" / "bin" / "python"
    done = subprocess.run([python, "-c", _LISTENING, str(airflow.process)], capture_output=True, text=True, check=True)
    addresses = {line.split()[1] for line in done.stdout.splitlines()}
    assert addresses == {"127.0.0.1"}
    files = [path for path in airflow.home.rglob("*") if path.is_file() and "postgres" not in path.parts]
    assert {"settings", "simple_auth_manager_passwords.json.generated"} <= {path.name for path in files}
    assert [path for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_a_second_one_is_refused_and_a_stopped_one_leaves_no_process_and_starts_again(airflow: LocalAirflow) -> None:
    second = LocalAirflow(airflow.home).launch()
    printed, _ = second.communicate(timeout=60)
    assert second.returncode == 3
    assert "Another `make airflow` is running with" in printed
    assert airflow.runs("telemetry_daily") == {}
    assert len(processes_of(airflow.home)) > 3
    airflow.stop()
    assert processes_of(airflow.home) == []
    airflow.start()
    assert airflow.runs("telemetry_daily") == {}


def test_a_task_whose_scheduler_is_killed_ends_with_everything_else(airflow: LocalAirflow) -> None:
    airflow.unpause("telemetry_daily")
    wait_for(lambda: bool(_tasks_of(airflow)), seconds=120)
    os.kill(airflow.component("scheduler"), signal.SIGKILL)
    assert "Airflow's scheduler exited" in airflow.wait_until_it_ended()
    assert processes_of(airflow.home) == []


def _tasks_of(airflow: LocalAirflow) -> set[int]:
    return set(processes("sleep", "3600")) & set(processes_of(airflow.home))
