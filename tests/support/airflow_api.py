"""Airflow's REST interface, as far as tests use it."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

_SECONDS_BETWEEN_LOOKS = 1


class AirflowApi:
    def __init__(self, port: int) -> None:
        self.port = port
        self._token = ""

    def log_in(self, user: str, password: str) -> None:
        self._token = self._ask("POST", "/auth/token", {"username": user, "password": password})["access_token"]

    def dags(self) -> list[str]:
        return [dag["dag_id"] for dag in self._ask("GET", "/api/v2/dags")["dags"]]

    def unpause(self, dag: str) -> None:
        self._ask("PATCH", f"/api/v2/dags/{dag}", {"is_paused": False})

    def trigger(self, dag: str, **conf: str) -> str:
        run = self._ask("POST", f"/api/v2/dags/{dag}/dagRuns", {"logical_date": None, "conf": conf})
        return str(run["dag_run_id"])

    def runs(self, dag: str) -> dict[str, str]:
        """The state of each run by its id, oldest first."""
        found = self._ask("GET", f"/api/v2/dags/{dag}/dagRuns?limit=100&order_by=id")["dag_runs"]
        return {run["dag_run_id"]: run["state"] for run in found}

    def tasks(self, dag: str, run: str) -> dict[str, tuple[str, int]]:
        """The state and the number of tries of each task."""
        found = self._ask("GET", f"/api/v2/dags/{dag}/dagRuns/{run}/taskInstances")["task_instances"]
        return {task["task_id"]: (task["state"], task["try_number"]) for task in found}

    def links(self, dag: str, run: str, task: str) -> dict[str, str]:
        found = self._ask("GET", f"/api/v2/dags/{dag}/dagRuns/{run}/taskInstances/{task}/links")
        return dict(found["extra_links"])

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"},
        )
        with _opened(request) as answer:
            return json.load(answer)


def _opened(request: urllib.request.Request, tries: int = 5) -> Any:
    """Asks again where that changes nothing: Airflow on SQLite answers 500 when the scheduler holds it for long."""
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as failure:
        if request.method != "GET" or failure.code != 500 or tries == 1:
            raise
    time.sleep(_SECONDS_BETWEEN_LOOKS)
    return _opened(request, tries - 1)
