"""A wheel works without the checkout: models, dashboards, rules and schemas are inside of it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
_BUILD = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `lagoon` of a new environment with nothing but the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if not name.startswith("tests/") and (PROJECT / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, target)
    built = subprocess.run(
        [sys.executable, "-c", _BUILD, str(folder)], cwd=source, capture_output=True, check=True, text=True
    )
    wheel = folder / built.stdout.split()[-1]
    uv = shutil.which("uv") or str(PROJECT / ".uv" / "bin" / "uv")
    environment = folder / "environment"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, environment], check=True)
    constraints = ["--constraint", str(PROJECT / "requirements" / "lake.txt")]
    install = [uv, "pip", "install", "--quiet", "--python", str(environment / "bin" / "python")]
    subprocess.run([*install, *constraints, wheel], check=True)
    shutil.rmtree(source)
    return environment / "bin" / "lagoon"


def test_a_wheel_runs_the_main_job_and_answers(installed: Path, small_landing: Path, tmp_path: Path) -> None:
    def lagoon(*arguments: str) -> str:
        done = subprocess.run(
            [installed, *arguments, "--landing", small_landing, "--lake", tmp_path / "lake"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "JAVA_HOME": os.environ.get("JAVA_HOME", "")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "12 groups" in lagoon("run")
    assert "archive-writer" in lagoon("report", "--format", "html")
    assert lagoon("sql", "--format", "csv", "select count(*) as groups from gold.group_health").split() == [
        "groups",
        "12",
    ]
