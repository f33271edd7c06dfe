#!/usr/bin/python3 -IS
"""Takes in the day that is not over yet: `day-so-far MINUTES [SECONDS]` triggers the daily DAG for today (UTC), and again so many
minutes after each run has ended, for which it looks every ten (or so many) seconds. It switches the DAG on, so that each whole day is
taken in after midnight too.

Airflow is asked as the user admin (`AIRFLOW_ADMIN_PASSWORD`) at `AIRFLOW_URL`. The file `answered` is as old as Airflow's last answer.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

DAG = "telemetry_daily"
ANSWERED = Path("answered")
SECONDS_TO_ANSWER = 60
OVER = ("success", "failed")


class Airflow:
    def __init__(self, url: str, password: str) -> None:
        self._url = url
        self._password = password

    def switch_on(self) -> None:
        self._ask("PATCH", f"/api/v2/dags/{DAG}", {"is_paused": False})

    def trigger(self, day: str) -> str:
        run = self._ask("POST", f"/api/v2/dags/{DAG}/dagRuns", {"logical_date": None, "conf": {"day": day}})
        return str(run["dag_run_id"])

    def is_over(self, run: str) -> bool:
        try:
            found = self._ask("GET", f"/api/v2/dags/{DAG}/dagRuns/{urllib.parse.quote(run)}")
        except urllib.error.HTTPError as refused:
            if refused.code == 404:  # Somebody has deleted it.
                return True
            raise
        return found["state"] in OVER

    def _ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        # A new token each time: one would be refused after a day.
        token = self._send("POST", "/auth/token", {"username": "admin", "password": self._password})["access_token"]
        return self._send(method, path, body, {"Authorization": f"Bearer {token}"})

    def _send(self, method: str, path: str, body: object, headers: dict[str, str] | None = None) -> dict[str, object]:
        request = urllib.request.Request(
            self._url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})},
        )
        with urllib.request.urlopen(request, timeout=SECONDS_TO_ANSWER) as answer:
            found: dict[str, object] = json.load(answer)
        ANSWERED.touch()
        return found


def main(minutes: float, seconds: float = 10) -> None:
    airflow = Airflow(os.environ["AIRFLOW_URL"], os.environ["AIRFLOW_ADMIN_PASSWORD"])
    run, due = "", time.monotonic()
    while True:
        try:
            if run and airflow.is_over(run):
                print(f"{run} is over", flush=True)
                run, due = "", time.monotonic() + 60 * minutes
            elif not run and time.monotonic() >= due:
                day = datetime.now(UTC).date().isoformat()
                airflow.switch_on()
                run = airflow.trigger(day)
                print(f"{run} takes in {day}", flush=True)
        except (OSError, ValueError, KeyError) as failure:
            print(f"Airflow did not do it ({failure}): the next try is in {seconds:g} seconds", flush=True)
        time.sleep(seconds)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
