"""A day by the DAG compared with the same day by `lagoon run`: what Airflow and a process for each task cost.

The recording goes into a new lake twice: by `airflow dags test telemetry_daily`, which runs the commands of the DAG's tasks one
after another in one process of Airflow, and by one `lagoon run`.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.claims import claim
from benchmarks.timing import Timing, cpu_seconds_of_all
from tests.recorded.landing import arrange

ROOT = Path(__file__).parent.parent
DAY = "2026-11-18"
_AIRFLOW = [str(ROOT / ".venv-airflow" / "bin" / "python"), "-W", "ignore", "-m", "airflow"]


def checked(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def environment_of(scratch: Path, landing: Path, lake: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW_", "LAGOON_"))}
    return inherited | {
        "AIRFLOW_HOME": str(scratch / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        # With a deadline `dags test` fails after a run that has succeeded (apache/airflow#73428).
        "LAGOON_LATE_AFTER_HOURS": "0",
        "LAGOON_LANDING": str(landing),
        "LAGOON_LAKE": str(scratch / lake),
    }


def day_timed(name: str, work: Callable[[], object]) -> Timing:
    started, cpu_before = time.perf_counter(), cpu_seconds_of_all()
    work()
    timing = Timing(time.perf_counter() - started, cpu_seconds_of_all() - cpu_before)
    print(f"{name}: {timing.seconds:.1f} s ({timing.cpu_seconds:.1f} s of CPU)", flush=True)
    return timing


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-dag-"))
    try:
        landing = arrange("kafka-4.3", scratch / "landing", logs=True)
        by_dag = environment_of(scratch, landing, "by-dag")
        by_run = environment_of(scratch, landing, "by-run")
        checked(["make", "airflow-setup"], by_run)
        checked([*_AIRFLOW, "db", "migrate"], by_dag)

        dags_test = [*_AIRFLOW, "dags", "test", "telemetry_daily", DAY, "--conf", f'{{"day": "{DAY}"}}']
        printed: list[str] = []
        dag = day_timed("the day by the DAG", lambda: printed.append(checked(dags_test, by_dag)))
        if "state=success, run_type=" not in printed[0]:
            raise SystemExit(f"The run of the DAG did not succeed:\n{printed[0]}")
        run = day_timed(
            "the day by lagoon run",
            lambda: checked([str(ROOT / ".venv" / "bin" / "lagoon"), "run", "--day", DAY], by_run),
        )
        print(f"by CPU time: {dag.cpu_seconds / run.cpu_seconds:.2f} x")
        claim("a day by the DAG / by lagoon run", dag.seconds / run.seconds, "x", at_most=1.4)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
