"""The lines of docs/operations.md that bring a table back to an earlier version, as somebody pastes them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from deltalake import DeltaTable
from support.lake_contents import gold_contents

from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_documented_lines_undo_what_another_tool_did_to_a_table(
    gold_lake: Lake, new_job: Callable[..., Job], recorded_landing: Path, tmp_path: Path
) -> None:
    [lines] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shutil.copytree(gold_lake.uri, tmp_path / "lake")
    findings = DeltaTable(tmp_path / "lake" / "gold" / "findings")
    before = findings.version()
    findings.delete("severity = 'critical'")
    damaged = new_job(tmp_path / "lake", recorded_landing).lake
    assert gold_contents(damaged) != gold_contents(gold_lake)
    assert lines.count("version as of 12") == 2

    done = subprocess.run(
        [sys.executable, "-c", lines.replace("version as of 12", f"version as of {before}")],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("LAGOON_")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "RESTORE" in done.stdout
    assert gold_contents(damaged) == gold_contents(gold_lake)
