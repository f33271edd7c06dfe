"""Settings with which Spark can't start: one sentence, and the exit code of the contract."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spark_jobs.errors import UsageError, UserError
from spark_jobs.settings import Settings, load
from spark_jobs.spark import java
from spark_jobs.spark.start_checks import check_start_settings, explained_start


def with_setting(name: str, value: str) -> Settings:
    defaults = load(environment={})
    return replace(defaults, values={**defaults.values, name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("spark.driver_memory", "much", "spark.driver_memory is 'much', which is no size. Give a size such as 2g or 1500m."),
        ("spark.driver_memory", "-2g", "which is no size"),
        ("spark.driver_memory", "", "which is no size"),
        ("spark.driver_memory", "2 g", "which is no size"),
        ("spark.driver_memory", "100m", "spark.driver_memory is 100m, which is too small for Spark. Give at least 512m"),
        ("spark.driver_memory", "2", "which is too small for Spark"),
        ("spark.master", "locl[*]", "spark.master is 'locl[*]', which is no Spark master. Give local[*]"),
        ("spark.master", "local[0]", "which is no Spark master"),
        ("spark.master", "http://host:1", "which is no Spark master"),
        ("spark.master", "", "which is no Spark master"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_before_spark_starts(name: str, value: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_start_settings(with_setting(name, value))
    assert message in str(raised.value)


def test_memory_in_the_spark_properties_is_checked_too() -> None:
    with pytest.raises(UsageError, match=r'"spark\.driver\.memory" of spark\.config is 1m, which is too small'):
        check_start_settings(replace(load(environment={}), spark_config={"spark.driver.memory": "1m"}))


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2]", "local[2,3]", "yarn", "local-cluster[1,1,1024]"])
def test_masters_of_this_machine_are_not_asked(master: str) -> None:
    check_start_settings(with_setting("spark.master", master))


def test_a_master_that_does_not_answer_is_named_and_one_that_does_is_taken() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        with pytest.raises(
            UserError, match=rf"the Spark master spark://127.0.0.1:{port} can't be reached \(.+\). Start it"
        ):
            check_start_settings(with_setting("spark.master", f"spark://127.0.0.1:{port}"))
        server.listen()
        check_start_settings(with_setting("spark.master", f"spark://127.0.0.1:1,127.0.0.1:{port}"))


@pytest.mark.parametrize(
    ("printed", "error", "message"),
    [
        ("Invalid maximum heap size: -Xmx999999g\nError: Could not create the Java Virtual Machine.", UsageError,
         "Java can't start with spark.driver_memory = 2g (Invalid maximum heap size: -Xmx999999g). Give less, such as 2g."),
        ("Error occurred during initialization of VM\nCould not reserve enough space for 99GB object heap", UsageError,
         "(Could not reserve enough space for 99GB object heap)"),
        ("java.io.IOException: No space left on device", UserError, "is full, and Spark needs it. Free some space"),
        ("Exception in thread \"main\" java.lang.IllegalArgumentException: bad option\n\tat x", UserError,
         "Spark can't start: java.lang.IllegalArgumentException: bad option. Correct [spark] and [spark.config]"),
        ("", UserError, "Spark can't start: RuntimeError. Correct [spark]"),
    ],
)  # fmt: skip
def test_what_java_prints_when_spark_does_not_start_is_one_sentence(
    tmp_path: Path, printed: str, error: type[UserError], message: str
) -> None:
    log = tmp_path / "spark.log"
    log.write_text(printed)
    with pytest.raises(error) as raised, explained_start(load(environment={}), log):
        raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_java_that_does_not_answer_is_named(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    with pytest.raises(UserError, match=rf"{program} does not answer. Install a JDK"):
        java.java_home(str(tmp_path), patience=0.2)


def test_more_memory_than_java_can_address_is_one_sentence_of_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", "gold", "--lake", str(tmp_path / "lake")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LAGOON_SPARK_DRIVER_MEMORY": "999999999g"},
        cwd=tmp_path,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("lagoon: Java can't start with spark.driver_memory = 999999999g (")
    assert "Traceback" not in done.stderr


def test_a_report_on_a_missing_lake_makes_none(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", "report", "--lake", str(tmp_path / "lake")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(f"lagoon: there is no lake at {tmp_path / 'lake'}. Create one with `lagoon run`")
    assert not (tmp_path / "lake").exists()
