"""Superset from its own virtual environment, started by deploy/superset/start.sh, with its state in SQLite."""

import os
import shutil
import sqlite3
import subprocess
import urllib.request
from pathlib import Path

from support.free_ports import free_ports
from support.local_airflow import wait_for
from support.superset_api import SupersetApi

PROJECT = Path(__file__).resolve().parents[2]
PASSWORD = "of-the-administrator"
_BIN = PROJECT / ".venv-superset" / "bin"
_STATE = "superset.db"
# What an import makes, and the table of Superset that has it.
_TABLES = {"databases": "dbs", "datasets": "tables", "charts": "slices", "dashboards": "dashboards"}


class SupersetServer:
    def __init__(self, home: Path, sql_port: int) -> None:
        """Its database Lagoon is the Thrift server on `sql_port`. Superset is installed unless it is installed already."""
        subprocess.run(["make", "superset-setup"], cwd=PROJECT, check=True)
        self.home = home
        [self.port] = free_ports(1)
        self._files = shutil.copytree(PROJECT / "deploy" / "superset", home / "files")
        database = self._files / "assets" / "databases" / "lagoon.yaml"
        text = database.read_text("utf-8")
        assert text.count("sql:10000") == 1
        database.write_text(text.replace("sql:10000", f"127.0.0.1:{sql_port}"), "utf-8")
        others = {name: value for name, value in os.environ.items() if not name.startswith(("SUPERSET_", "LAGOON_"))}
        self.environment = others | {
            "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "SUPERSET_HOME": str(home),
            "PYTHONPATH": str(self._files),
            "FLASK_APP": "superset.app:create_app()",
            "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{self.port}",
            "SUPERSET__SQLALCHEMY_DATABASE_URI": f"sqlite:///{home / _STATE}",
            "SUPERSET_SECRET_KEY": "0123456789abcdef0123456789abcdef",
            "SUPERSET_DATABASE_PASSWORD": "not used by SQLite",
            "SUPERSET_ADMIN_PASSWORD": PASSWORD,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def assets(self) -> Path:
        return self._files / "assets"

    def start(self) -> SupersetApi:
        """Returns when it serves, logged in."""
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", str(self._files / "start.sh")],
                env=self.environment,
                cwd=self.home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_for(self._serves_or_ended, seconds=600)
        assert self._process.poll() is None, (self.home / "log").read_text("utf-8")[-3000:]
        api = SupersetApi(self.port)
        api.log_in(PASSWORD)
        return api

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=60)

    def command(self, *arguments: str) -> None:
        done = subprocess.run(
            [_BIN / "superset", *arguments],
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]

    def counts(self) -> dict[str, int]:
        """How many databases, datasets, charts and dashboards it has."""
        with sqlite3.connect(self.home / _STATE) as state:
            return {
                name: int(state.execute(f"select count(*) from {table}").fetchone()[0])
                for name, table in _TABLES.items()
            }

    def _serves_or_ended(self) -> bool:
        assert self._process is not None
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10):
                return True
        except OSError:
            return self._process.poll() is not None
