"""The steps of `lagoon run` on a small day, compared with a bare Spark session and a `dbt build` of as many empty models.

Three runs, one after the other, each a process of its own: (a) Spark starts and dbt builds as many empty models as gold has;
(b) `lagoon run` on the recording, into a new lake; (c) `lagoon run` on a delivery without any rows, the least that a daily
run costs. The ratio is (c) to (a).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from benchmarks.claims import claim

ROOT = Path(__file__).parent.parent

_EMPTY_DBT = textwrap.dedent(
    """
    import sys, os
    from spark_jobs.settings import load
    from spark_jobs.spark import session
    session.start_spark(load(environment={}))
    os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
    from dbt.cli.main import dbtRunner
    done = dbtRunner().invoke(["--quiet", "build", "--project-dir", sys.argv[1], "--profiles-dir", sys.argv[1], "--threads", "4"])
    assert done.success, done
    os._exit(0)
    """
)


def timed_process(name: str, command: list[str]) -> tuple[float, str]:
    """Runs a command. Returns its seconds and what it wrote to standard error."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout}{done.stderr}")
    print(f"{name}: {seconds:.1f} s", flush=True)
    return seconds, done.stderr


def create_empty_project(folder: Path, models: int) -> Path:
    """Writes a dbt project with that many models without rows."""
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(
        f"name: empty\nversion: '1.0.0'\nprofile: empty\nmodels: {{empty: {{+materialized: table, +file_format: delta, "
        f"+location_root: '{folder}/lake'}}}}\n"
    )
    (folder / "profiles.yml").write_text(
        "empty: {target: t, outputs: {t: {type: spark, method: session, schema: gold, host: NA}}}\n"
    )
    for number in range(models):
        (folder / "models" / f"m{number}.sql").write_text("select 1 as a where false")
    return folder


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-small-"))
    try:
        from tests.recorded.landing import arrange

        landing, lake = arrange("kafka-4.3", scratch / "landing"), scratch / "lake"
        models = len(list((ROOT / "dbt_project" / "models" / "gold").glob("*.sql")))
        project = create_empty_project(scratch / "dbt", models)
        lagoon = [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", str(landing), "--lake", str(lake)]

        bare_command = [sys.executable, "-c", _EMPTY_DBT, str(project)]
        bare, _ = timed_process(f"bare session and {models} empty models", bare_command)
        recording, progress = timed_process("lagoon run on the recording", lagoon)
        for step, seconds in re.findall(r"^(\w+) .*?\n(?:\s{9}\D.*\n)*?\s+([\d.]+) s$", progress, re.MULTILINE):
            print(f"  {step}: {seconds} s")
        empty_file = landing / "lag_metrics" / "cluster=recorded" / "date=2026-11-19" / "empty-20261119T000000Z.txt"
        empty_file.parent.mkdir(parents=True)
        empty_file.write_text("")
        empty_day, _ = timed_process("lagoon run on a delivery without rows", lagoon)
        nothing_new, _ = timed_process("lagoon run with nothing new", lagoon)
        print(f"nothing new: {nothing_new:.1f} s")
        claim("the recording / a bare session", recording / bare, "x", at_most=2.5)
        claim("an empty delivery / a bare session", empty_day / bare, "x", at_most=1.5)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    os.environ.pop("LAGOON_DEBUG", None)
    main()
