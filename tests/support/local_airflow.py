"""The Airflow of `make airflow`: starts and stops it, and calls its REST interface and its command line."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from support.airflow_api import AirflowApi
from support.airflow_environment import PROJECT
from support.free_ports import free_ports

_BIN = PROJECT / ".venv-airflow" / "bin"
_SECONDS_BETWEEN_LOOKS = 1


class LocalAirflow(AirflowApi):
    def __init__(self, home: Path, **settings: str) -> None:
        """`settings` are environment variables of everything that it starts."""
        self.home = home
        [port] = free_ports(1)
        super().__init__(port)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW_", "LAGOON_"))}
        self.environment = kept | {"AIRFLOW_PORT": str(self.port), "LOCAL_AIRFLOW_HOME": str(home)} | settings
        self._started: subprocess.Popen[str] | None = None

    @property
    def process(self) -> int:
        assert self._started is not None
        return self._started.pid

    def launch(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [_BIN / "python", "-W", "ignore:XDG_RUNTIME_DIR", PROJECT / "make" / "local_airflow.py"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def start(self) -> None:
        self._started = self.launch()
        assert self._started.stdout is not None
        printed = self._started.stdout.readline() + self._started.stdout.readline()
        assert "Airflow is at http://127.0.0.1:" in printed, printed + self._started.stdout.read()
        self.log_in("admin", self.password())
        wait_for(lambda: "telemetry_daily" in self.dags(), seconds=60)

    def password(self) -> str:
        passwords = json.loads((self.home / "simple_auth_manager_passwords.json.generated").read_text())
        return str(passwords["admin"])

    def component(self, *words: str) -> int:
        """The process that it started with these words, such as `scheduler`."""
        [process] = [each for each in processes("airflow", *words) if _parent_of(each) == self.process]
        return process

    def wait_until_it_ended(self) -> str:
        """Returns what it printed since it was up."""
        assert self._started is not None
        printed, _ = self._started.communicate(timeout=120)
        return printed

    def stop(self) -> None:
        if self._started is not None and self._started.poll() is None:
            self._started.send_signal(signal.SIGTERM)
            self._started.communicate(timeout=120)

    def command(self, *arguments: str) -> str:
        """Runs `airflow` with the settings that `make airflow` wrote."""
        words = " ".join(f"'{argument}'" for argument in arguments)
        done = subprocess.run(
            ["bash", "-c", f". '{self.home}/settings'; '{_BIN}/airflow' {words}"],
            env=self.environment,
            cwd=PROJECT,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def wait_for(is_so: Callable[[], bool], *, seconds: int) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"waited {seconds} seconds"
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def processes(*words: str) -> list[int]:
    """The processes of this machine whose command line has these words one after another."""
    wanted = "\0".join(words).encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def processes_of(home: Path) -> list[int]:
    """The processes of this machine whose command line or environment names this home of an Airflow."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(home).encode() in (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def _parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
