"""`make airflow`: only this machine can reach what it starts, and only this user can read what it writes."""

import os
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.airflow_environment import PROJECT, installed_airflow
from support.free_ports import free_ports

pytestmark = pytest.mark.slow

_PYTHON = PROJECT / ".venv-airflow" / "bin" / "python"
airflow = pytest.fixture(scope="module")(installed_airflow)

# Printed as `pid address:port` for each socket that a descendant of the process listens on.
_LISTENING = """
import psutil, sys
for process in psutil.Process(int(sys.argv[1])).children(recursive=True):
    for socket in process.net_connections("inet"):
        if socket.status == psutil.CONN_LISTEN:
            print(process.pid, socket.laddr.ip)
"""


@pytest.fixture
def home(airflow: object, tmp_path: Path) -> Iterator[tuple[Path, int]]:  # noqa: ARG001
    """The home of an Airflow that runs, and the process that started it."""
    home, [port] = tmp_path / "home", free_ports(1)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW_")}
    started = subprocess.Popen(
        [_PYTHON, "-W", "ignore:XDG_RUNTIME_DIR", PROJECT / "make" / "local_airflow.py"],
        env=environment | {"AIRFLOW_PORT": str(port), "LOCAL_AIRFLOW_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert started.stdout is not None
        printed = started.stdout.readline() + started.stdout.readline()
        assert "Airflow is at http://127.0.0.1:" in printed
        yield home, started.pid
    finally:
        started.send_signal(signal.SIGTERM)
        started.communicate(timeout=120)


@pytest.mark.timeout(400)
def test_everything_listens_on_loopback_and_all_files_belong_to_their_user_alone(home: tuple[Path, int]) -> None:
    folder, process = home
    done = subprocess.run([_PYTHON, "-c", _LISTENING, str(process)], capture_output=True, text=True, check=True)
    addresses = {line.split()[1] for line in done.stdout.splitlines()}
    assert addresses == {"127.0.0.1"}
    files = [path for path in folder.rglob("*") if path.is_file() and "postgres" not in path.parts]
    assert {"settings", "simple_auth_manager_passwords.json.generated"} <= {path.name for path in files}
    assert [path for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
