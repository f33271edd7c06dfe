"""The stages of `lagoon run` on a small day, beside a bare session and a `dbt build` of as many empty models.

Three runs side by side, each a process of its own: (a) Spark starts and dbt builds as many empty models as gold has,
(b) `lagoon run` on the bundled recording, into a new lake, (c) `lagoon run` when a delivery holds nothing for any table:
what a daily run costs at least. The ratio is (c) to (a).
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

ROOT = Path(__file__).parent.parent

_EMPTY_DBT = textwrap.dedent(
    """
    import sys, os
    from spark_jobs import session
    from spark_jobs.settings import load
    session.start_spark(load(environment={}))
    os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
    from dbt.cli.main import dbtRunner
    done = dbtRunner().invoke(["--quiet", "build", "--project-dir", sys.argv[1], "--profiles-dir", sys.argv[1], "--threads", "4"])
    assert done.success, done
    os._exit(0)
    """
)


def timed(what: str, command: list[str], cwd: Path = ROOT) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    took = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stdout}{done.stderr}")
    print(f"{what}: {took:.1f} s", flush=True)
    return took, done.stderr


def empty_project(folder: Path, models: int) -> Path:
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
        project = empty_project(scratch / "dbt", models)
        lagoon = [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", str(landing), "--lake", str(lake)]

        bare, _ = timed(f"bare session and {models} empty models", [sys.executable, "-c", _EMPTY_DBT, str(project)])
        full, told = timed("lagoon run on the recording", lagoon)
        for stage, seconds in re.findall(r"^(\w+) .*?\n(?:\s{9}\D.*\n)*?\s+([\d.]+) s$", told, re.MULTILINE):
            print(f"  {stage}: {seconds} s")
        empty = landing / "lag_metrics" / "cluster=recorded" / "date=2026-11-19" / "empty-20261119T000000Z.txt"
        empty.parent.mkdir(parents=True)
        empty.write_text("")
        least, _ = timed("lagoon run with nothing in the delivery", lagoon)
        again, _ = timed("lagoon run with nothing new", lagoon)
        print(
            f"recording to bare: {full / bare:.2f}; empty day to bare: {least / bare:.2f} (aim: 1.3 or less); nothing new: {again:.1f} s"
        )
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    os.environ.pop("LAGOON_DEBUG", None)
    main()
