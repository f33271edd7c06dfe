"""Builds a lake of two small days with an earlier version of Lagoon, and packs it:
`python tests/recorded/lakes/make_lake.py COMMIT` writes `COMMIT.tar.xz` beside this file.

The environment is today's; the code is that of the commit. The days are those of tests/support/two_day_landing.py.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
# What a lake works without: logs, pages, compiled SQL, locks.
_LEFT_OUT = (
    ".dbt",
    ".done",
    ".lock",
    ".last_run",
    ".alerts.lock",
    ".alerts.acknowledged",
    "logs",
    "reports",
    "data_docs",
)


def main(commit: str) -> None:
    sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]
    from support.two_day_landing import deliver_two_days

    with tempfile.TemporaryDirectory() as scratch:
        code, lake = Path(scratch) / "code", Path(scratch) / "lake"
        code.mkdir()
        archive = subprocess.run(["git", "-C", PROJECT, "archive", commit], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", code], check=True, input=archive)
        (code / ".jars").symlink_to(PROJECT / ".jars")
        landing = deliver_two_days(Path(scratch) / "landing")
        command = [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", str(landing), "--lake", str(lake)]
        run = subprocess.run(command, cwd=code, env={**os.environ, "PYTHONPATH": str(code)}, check=False)
        assert run.returncode in (0, 1), f"the program of {commit} could not run"
        # Checksums that Hadoop makes again, and does without.
        for path in lake.rglob(".*.crc"):
            path.unlink()
        with tarfile.open(HERE / f"{commit}.tar.xz", "w:xz") as packed:
            packed.add(lake, "lake", filter=_without_owner)


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return None if Path(entry.name).name in _LEFT_OUT else entry


if __name__ == "__main__":
    main(sys.argv[1])
