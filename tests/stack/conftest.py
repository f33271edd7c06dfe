"""The stack of docker-compose.yml: built from a clean checkout, started once, and two days run on it by its Airflow.

`STACK_CACHE=FOLDER` keeps images and layers in a folder for the next time.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.container_engine import ContainerEngine, missing_prerequisite, run
from support.lagoon_stack import LagoonStack
from support.stack_days import FIRST_DAY, SECOND_DAY, Day, deliver, run_day

PROJECT = Path(__file__).parents[2]
_IMAGES = {"lagoon": ".", "airflow": ".", "postgres": "deploy/postgres"}


@pytest.fixture(scope="session")
def engine() -> Iterator[ContainerEngine]:
    if reason := missing_prerequisite():
        pytest.skip(reason)
    cache = os.environ.get("STACK_CACHE")
    # Not in pytest's folder, whose path is too long for sockets.
    folder = Path(tempfile.mkdtemp(prefix="stack-"))
    engine = ContainerEngine(folder, Path(cache) if cache else None)
    try:
        engine.start()
        yield engine
    finally:
        engine.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git has of this commit, and nothing else."""
    folder = tmp_path_factory.mktemp("checkout")
    archive = subprocess.Popen(["git", "archive", "HEAD"], cwd=PROJECT, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    assert archive.wait() == 0
    return folder


@pytest.fixture(scope="session")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Empty, and readable for the user of the containers."""
    folder = tmp_path_factory.mktemp("delivered") / "landing"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def stack(engine: ContainerEngine, checkout: Path, landing: Path) -> Iterator[LagoonStack]:
    """The stack, healthy, with nothing delivered."""
    for name, context in _IMAGES.items():
        image = "lagoon" if name == "lagoon" else f"lagoon-{name}"
        target = ["--target", name] if context == "." else []
        run(
            ["/usr/bin/docker", "build", "--quiet", *target, "--tag", f"{image}:latest", context],
            engine.environment,
            cwd=checkout,
        )
    stack = LagoonStack(engine, checkout, landing)
    try:
        stack.up()
        yield stack
    finally:
        stack.down()


@pytest.fixture(scope="session")
def first_day(stack: LagoonStack, landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Day:
    deliver(landing, FIRST_DAY, tmp_path_factory.mktemp("first"))
    return run_day(stack, FIRST_DAY)


@pytest.fixture(scope="session")
def second_day(
    stack: LagoonStack,
    first_day: Day,  # noqa: ARG001
    landing: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Day:
    """After each container was restarted once."""
    stack.restart_each()
    deliver(landing, SECOND_DAY, tmp_path_factory.mktemp("second"))
    return run_day(stack, SECOND_DAY)
