"""Every module can be imported before Spark has started, as the steps of `lagoon run` do when they are called alone."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_no_module_needs_a_spark_session_to_be_imported() -> None:
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sorted((ROOT / "spark_jobs").rglob("*.py"))
        # It is the program of Spark's workers.
        if file.name not in ("__init__.py", "worker_daemon.py")
    ]
    assert len(modules) > 100
    program = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
