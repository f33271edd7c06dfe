"""The lines for notebooks in docs/dashboards.md, as somebody pastes them beside a lake."""

import re
import subprocess
import sys
from pathlib import Path

from spark_jobs.lake.tables import Lake

PAGE = Path(__file__).parents[2] / "docs" / "dashboards.md"


def test_the_documented_notebook_reads_the_recording(gold_lake: Lake, tmp_path: Path) -> None:
    [lines] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "lake").symlink_to(gold_lake.uri)
    # A warning would be about something that the next version no longer has.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "critical" in done.stdout
    assert re.search(r"manual-ops +4340", done.stdout)
