"""Copies a recording into a landing folder, as a cluster would deliver it: `python tests/recorded/landing.py kafka-4.3 build/landing [CLUSTER]`."""

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
CLUSTER = "recorded"

# Folder of a recording -> the source in landing, and the folder that paths in landing are relative to.
_SOURCES = {
    "offsets-raw": ("offset_dumps", "offsets-raw"),
    "lag": ("lag_metrics", "lag"),
    "metrics": ("lag_metrics", "metrics"),
}
_LOGS = {
    "broker": ("group_logs", "."),
    "clients": ("group_logs", "clients"),
}


def arrange(
    recording: str,
    landing: Path,
    *,
    cluster: str = CLUSTER,
    include: Callable[[Path], bool] = lambda _: True,
    logs: bool = False,
) -> Path:
    """Copies the files of a recording that pass `include` (which takes their path in it). With `logs` also the logs, each
    in the folder of its broker or application. Returns the landing folder."""
    root = HERE / recording
    ended_at_ms = json.loads((root / "truth.json").read_text("utf-8"))["last_ts"]
    day = datetime.fromtimestamp(ended_at_ms / 1000, UTC).date()
    for folder, (source, root_in_landing) in (_SOURCES | (_LOGS if logs else {})).items():
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            if file.is_file() and include(path) and "properties" not in file.name:
                target = landing / source / f"cluster={cluster}" / f"date={day}" / path.relative_to(root_in_landing)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target)
    return landing


if __name__ == "__main__":
    arrange(sys.argv[1], Path(sys.argv[2]), cluster=sys.argv[3] if len(sys.argv) > 3 else CLUSTER, logs=True)
