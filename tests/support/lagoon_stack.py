"""The stack of docker-compose.yml, started from a checkout on a container engine of its own."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.airflow_api import AirflowApi
from support.beeline import AS_CSV, BEELINE, answered_lines
from support.container_engine import ContainerEngine, run
from support.free_ports import free_ports

_PORTS = ("AIRFLOW_PORT", "DASHBOARD_PORT", "SQL_PORT", "STORE_PORT", "SUPERSET_PORT")
_SECONDS_BETWEEN_LOOKS = 2


class LagoonStack:
    def __init__(
        self, engine: ContainerEngine, checkout: Path, landing: Path, *, project: str = "stack", **settings: str
    ) -> None:
        """`settings` are lines of its .env."""
        self.engine = engine
        self._checkout = checkout
        self._project = project
        self._env = checkout / f"{project}.env"
        self.ports = dict(zip(_PORTS, free_ports(len(_PORTS)), strict=True))
        run(["sh", "deploy/new_env.sh", ".env.example", str(self._env)], engine.environment, cwd=checkout)
        lines = {**self.ports, "LANDING_FOLDER": landing, **settings}
        with self._env.open("a") as env:
            env.writelines(f"{name}={value}\n" for name, value in lines.items())

    @property
    def secrets(self) -> dict[str, str]:
        """What `make stack-env` made up, by name."""
        lines = self._env.read_text().splitlines()
        values = dict(line.partition("=")[::2] for line in lines if "=" in line and not line.startswith("#"))
        return {name: value for name, value in values.items() if name.endswith(("PASSWORD", "KEY", "SECRET", "TOKEN"))}

    def compose(self, *arguments: str) -> str:
        done = self.compose_in(self._checkout, "--env-file", str(self._env), *arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def compose_in(self, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = ["docker-compose", "--project-name", self._project, *arguments]
        return run(command, self.engine.environment, cwd=folder, check=False)

    def up(self, *options: str) -> None:
        self.compose("up", "--detach", "--no-build", *options)
        self.wait_for_health()

    def down(self) -> None:
        self.compose("down", "--volumes", "--remove-orphans", "--timeout", "60")

    def containers(self, *, running: bool = True) -> dict[str, dict[str, Any]]:
        """What the engine knows of each container, by the name of its service, and its number if it is not the first."""
        ours = f"label=com.docker.compose.project={self._project}"
        ids = self.engine.docker("ps", "--quiet", "--filter", ours, *([] if running else ["--all"])).split()
        known = json.loads(self.engine.docker("inspect", *ids)) if ids else []
        return {_service(each): each for each in known}

    def wait_for_health(self, *, seconds: int = 600) -> None:
        end = time.monotonic() + seconds
        while waiting := [name for name, each in self.containers().items() if not _is_healthy(each)]:
            assert time.monotonic() < end, f"not healthy: {waiting}\n{self.compose('logs', '--tail=30', *waiting)}"
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def wait_for_restart(self, before: dict[str, Any], *, seconds: int = 120) -> None:
        """Waits until the container has another process than `before`."""
        end = time.monotonic() + seconds
        while not (now := json.loads(self.engine.docker("inspect", before["Id"]))[0]["State"])["Running"] or (
            now["Pid"] == before["State"]["Pid"]
        ):
            assert time.monotonic() < end, f"{before['Name']} was not started again"
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def restart_each(self) -> None:
        for service in self.containers():
            self.compose("restart", "--timeout", "60", service)
        self.wait_for_health()

    def processes(self, service: str) -> list[int]:
        """Process ids, as this machine sees them, of a service's container."""
        listed = self.engine.docker("top", self.containers()[service]["Id"], "-eo", "pid")
        return [int(pid) for pid in listed.split()[1:]]

    def logs(self) -> Iterator[str]:
        for each in self.containers(running=False).values():
            yield self.engine.docker("logs", each["Id"])

    def images(self) -> list[str]:
        return sorted({each["Config"]["Image"] for each in self.containers().values()})

    def image_history(self, image: str) -> str:
        return self.engine.docker("history", "--no-trunc", image) + self.engine.docker("inspect", image)

    def volume(self, name: str) -> Path:
        """The folder of a volume on this machine."""
        return Path(json.loads(self.engine.docker("volume", "inspect", f"{self._project}_{name}"))[0]["Mountpoint"])

    def airflow(self) -> AirflowApi:
        api = AirflowApi(self.ports["AIRFLOW_PORT"])
        api.log_in("admin", self.secrets["AIRFLOW_ADMIN_PASSWORD"])
        return api

    def task_log(self, run_id: str) -> str:
        folder = self.volume("airflow-logs")
        found = [file for file in folder.rglob("*.log") if f"run_id={run_id}" in str(file)]
        return "\n".join(file.read_text("utf-8", "replace") for file in sorted(found))

    def ask_dashboards(self, path: str, token: str) -> tuple[int, str]:
        """The status and the text of an answer to a browser that has this token."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports['DASHBOARD_PORT']}{path}", headers={"Cookie": f"lagoon_token={token}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, ""

    def sql(self, query: str) -> list[str]:
        """Lines of CSV that a JDBC client gets from the Thrift server."""
        beeline = ["spark-class", *BEELINE, "-u", "jdbc:hive2://127.0.0.1:10000/gold", *AS_CSV, "-e", query]
        return answered_lines(self._answer("sql", *beeline))

    def lagoon_sql(self, query: str) -> list[dict[str, Any]]:
        """The rows that `lagoon sql` prints in the container that can only read the lake."""
        rows: list[dict[str, Any]] = json.loads(self._answer("dashboards", "lagoon", "sql", "--format", "json", query))
        return rows

    def _answer(self, service: str, *command: str) -> str:
        done = subprocess.run(
            [
                *("docker-compose", "--env-file", str(self._env), "--project-name", self._project),
                *("exec", "-T", service, *command),
            ],
            env=self.engine.environment,
            cwd=self._checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _service(container: dict[str, Any]) -> str:
    labels = container["Config"]["Labels"]
    name, number = (str(labels[f"com.docker.compose.{label}"]) for label in ("service", "container-number"))
    return name if number == "1" else f"{name}-{number}"


def _is_healthy(container: dict[str, Any]) -> bool:
    return container["State"].get("Health", {"Status": "healthy"})["Status"] == "healthy"
