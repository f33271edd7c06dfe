"""`day-so-far`: Airflow is asked to take in the day that is not over yet, again and again, whatever it answers."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "deploy" / "airflow" / "day_so_far.py"
PASSWORD = "a-password-of-the-test"
_SECONDS = 20


class Airflow:
    """Has one DAG. A run is over when it was looked at for the second time."""

    def __init__(self, refusals: list[int]) -> None:
        """`refusals` are the status codes of the first answers about the DAG."""
        self.refusals = refusals
        self.switched_on = False
        self.days: list[str] = []
        self.triggered_while_running = False
        self.looks = 2

    def answer(self, method: str, path: str, body: dict[str, object], token: str | None) -> tuple[int, object]:
        if path == "/auth/token":
            return (201, {"access_token": "t"}) if body == {"username": "admin", "password": PASSWORD} else (401, {})
        if token != "Bearer t":
            return 401, {}
        if self.refusals:
            return self.refusals.pop(0), {}
        if method == "PATCH":
            self.switched_on = body == {"is_paused": False}
            return 200, {}
        if method == "POST":
            assert isinstance(body["conf"], dict)
            self.triggered_while_running |= self.looks < 2
            self.days.append(body["conf"]["day"])
            self.looks = 0
            return 200, {"dag_run_id": f"manual {len(self.days)}+00:00"}
        assert path.endswith(f"/dagRuns/manual%20{len(self.days)}%2B00%3A00")
        self.looks += 1
        return 200, {"state": "success" if self.looks >= 2 else "running"}


def test_the_day_is_taken_in_again_when_the_run_before_is_over(tmp_path: Path) -> None:
    airflow = Airflow([])
    printed = run_until_three_are_triggered(airflow, tmp_path)
    assert airflow.switched_on
    assert set(airflow.days) <= {today(), datetime.now(UTC).date().isoformat()}
    assert not airflow.triggered_while_running
    assert "manual 1+00:00 is over" in printed
    assert PASSWORD not in printed
    assert (tmp_path / "answered").exists()


def test_it_goes_on_when_airflow_does_not_know_the_dag_yet_or_fails(tmp_path: Path) -> None:
    printed = run_until_three_are_triggered(Airflow([404, 500, 503]), tmp_path)
    assert printed.count("Airflow did not do it") == 3


def test_a_run_that_somebody_deleted_is_over(tmp_path: Path) -> None:
    class Forgetful(Airflow):
        def answer(self, method: str, path: str, body: dict[str, object], token: str | None) -> tuple[int, object]:
            if method == "GET":
                self.looks = 2
                return 404, {}
            return super().answer(method, path, body, token)

    run_until_three_are_triggered(Forgetful([]), tmp_path)


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def run_until_three_are_triggered(airflow: Airflow, folder: Path) -> str:
    """What the command prints meanwhile."""
    with served(airflow) as url:
        environment = {"AIRFLOW_URL": url, "AIRFLOW_ADMIN_PASSWORD": PASSWORD}
        command = [sys.executable, str(SCRIPT), "0", "0.05"]
        running = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + _SECONDS
        while len(airflow.days) < 3 and time.monotonic() < end:
            assert running.poll() is None
            time.sleep(0.05)
        running.terminate()
        printed = running.communicate()[0]
    assert len(airflow.days) >= 3, printed
    return printed


@contextmanager
def served(airflow: Airflow) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_PATCH(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
            status, document = airflow.answer(self.command, self.path, body, self.headers["Authorization"])
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
