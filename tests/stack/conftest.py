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
from support.container_engine import ContainerEngine, missing_prerequisite
from support.lagoon_stack import LagoonStack
from support.stack_days import FIRST_DAY, SECOND_DAY, StackDay, deliver, run_scheduled, run_triggered

PROJECT = Path(__file__).parents[2]


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
def images(engine: ContainerEngine, checkout: Path) -> None:
    engine.build(checkout, ".", "lagoon:latest", target="lagoon")
    engine.build(checkout, ".", "lagoon-airflow:latest", target="airflow")
    engine.build(checkout, "deploy/postgres", "lagoon-postgres:latest")


@pytest.fixture(scope="session")
def stack(engine: ContainerEngine, images: None, checkout: Path, landing: Path) -> Iterator[LagoonStack]:  # noqa: ARG001
    """The stack, healthy, with nothing delivered."""
    # By its schedule Airflow makes one run.
    stack = LagoonStack(engine, checkout, landing, LAGOON_FIRST_DAY=FIRST_DAY, LAGOON_LAST_DAY=FIRST_DAY)
    try:
        stack.up()
        yield stack
    finally:
        stack.down()
    assert engine.left_over() == ""


@pytest.fixture(scope="session")
def first_day(stack: LagoonStack, landing: Path) -> StackDay:
    deliver(FIRST_DAY, landing)
    return run_scheduled(stack)


@pytest.fixture(scope="session")
def second_day(stack: LagoonStack, first_day: StackDay, landing: Path) -> StackDay:  # noqa: ARG001
    """After each container was restarted once."""
    stack.restart_each()
    deliver(SECOND_DAY, landing)
    return run_triggered(stack, SECOND_DAY)
