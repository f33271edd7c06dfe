"""Arranges a recording as it would be delivered: `python tests/recorded/landing.py kafka-4.3 build/landing`."""

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
CLUSTER = "recorded"

# Where a recording's folders belong in landing, and from which folder on.
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
    wanted: Callable[[Path], bool] = lambda _: True,
    logs: bool = False,
) -> Path:
    """Copies the files of a recording that are `wanted` (by their path in it) into a landing folder; logs if asked to,
    each in a folder of its broker or application."""
    root = HERE / recording
    ended = json.loads((root / "truth.json").read_text("utf-8"))["last_ts"]
    day = datetime.fromtimestamp(ended / 1000, UTC).date()
    for folder, (source, top) in (_SOURCES | (_LOGS if logs else {})).items():
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            if file.is_file() and wanted(path) and "properties" not in file.name:
                place = landing / source / f"cluster={cluster}" / f"date={day}" / path.relative_to(top)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, place)
    return landing


if __name__ == "__main__":
    arrange(sys.argv[1], Path(sys.argv[2]), logs=True)
