"""Errors of the command: one sentence with the remedy, and the exit code of the contract."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jobs.lake.write_lock import hold_write_lock

FOLDERS = ["--landing", "{folder}/landing", "--lake", "{folder}/lake"]


def lagoon(*words: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", *(word.format(folder=folder) for word in words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        cwd=folder,
    )
    return done.returncode, done.stdout, done.stderr


def landed(folder: Path) -> None:
    file = folder / "landing" / "lag_metrics" / "cluster=eu" / "date=2026-01-01" / "a.txt"
    file.parent.mkdir(parents=True)
    file.write_text("")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["run", "--day", "yesterday", *FOLDERS], 2, "'yesterday' is not a day. Write it as YYYY-MM-DD."),
        (["run", "--from", "2026-01-01", *FOLDERS], 2, "only one of --from and --to was given."),
        (["run", "--from", "2026-01-02", "--to", "2026-01-01", *FOLDERS], 2, "is after --to"),
        (["run", "--day", "2026-01-01", "--from", "2026-01-01", *FOLDERS], 2, "--day and --from/--to were both given."),
        (["bronze", "--source", "logs", *FOLDERS], 2, "there is no source 'logs'. Use one of group_logs,"),
        # A query of the dashboard begins with a comment, which is no option.
        (["sql", "-- One row\nselect 1", "--lake", "none"], 3, "there is no lake at "),
        (["sql", "select 1", "--format", "xml"], 2, "there is no format 'xml'. Use one of table, json, csv."),
        (["sql", "select 1", "--engine", "sqlite"], 2, "there is no engine 'sqlite'. Use one of auto, duckdb, spark."),
        (["explain", "g", "--day", "today", *FOLDERS], 2, "'today' is not a day. Write it as YYYY-MM-DD."),
        (["explain"], 2, "Missing argument 'GROUP'. See `lagoon --help`."),
        (["run", "--config", "{folder}/none.toml"], 2, "does not exist. Correct --config or LAGOON_CONFIG."),
        (["report", "--lake", "{folder}/none"], 3, "there is no lake at {folder}/none. Create one with `lagoon run`"),
        (["report", "-q", "-v"], 2, "--quiet and --verbose were both given. Choose one."),
        (["explain", "g\x1b[2J\nFORGED", "--day", "[/x]\x1b[2J"], 2, r"'[/x]\x1b[2J' is not a day."),
        (["[/nope]\x1b[2J\nFORGED"], 2, "No such command"),
        (["sql", "select 1", "--format", "x\x1b[2J\ny"], 2, r"there is no format 'x\x1b[2J\ny'."),
        (["fly"], 2, "No such command 'fly'. See `lagoon --help`."),
        (["run", "--landing", "{folder}/none", "--lake", "{folder}/lake"], 3, "does not exist. Name it with --landing"),
    ],
)
def test_a_wrong_call_is_one_sentence_with_the_remedy(
    tmp_path: Path, words: list[str], code: int, message: str
) -> None:
    exit_code, stdout, stderr = lagoon(*words, folder=tmp_path)
    assert (exit_code, stdout) == (code, "")
    assert message.format(folder=tmp_path) in stderr
    assert stderr.startswith("lagoon: ")
    assert stderr.count("\n") == 1
    assert "\x1b" not in stderr


def test_every_command_and_doctor_report_a_missing_java(tmp_path: Path) -> None:
    landed(tmp_path)
    (tmp_path / "lake" / "quality").mkdir(parents=True)
    for command in ("run", "bronze", "silver", "gold", "doctor"):
        code, stdout, stderr = lagoon(command, *FOLDERS, folder=tmp_path, JAVA_HOME=str(tmp_path))
        assert code == 3
        assert "there is no bin/java in JAVA_HOME" in stdout + stderr
        assert "Traceback" not in stdout + stderr


@pytest.mark.parametrize(
    ("version", "message"),
    [("11.0.2", "is too old for Spark"), ("25.0.1", "is too new for Spark"), ("1.8.0_292", "Java 8")],
)
def test_java_of_an_unsupported_version_is_refused(tmp_path: Path, version: str, message: str) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2020' >&2\n")
    java.chmod(0o755)
    landed(tmp_path)
    code, _, stderr = lagoon("run", *FOLDERS, folder=tmp_path, JAVA_HOME=str(tmp_path / "jdk"))
    assert code == 3
    assert message in stderr


def test_doctor_reports_what_is_wrong_with_landing_and_lake(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "lake").write_text("a file where a folder should be")
    code, stdout, _ = lagoon("doctor", *FOLDERS, folder=tmp_path)
    assert code == 3
    assert "there are no files in" in stdout
    assert "can't be written" in stdout


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    import socket

    landed(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        (tmp_path / "lagoon.toml").write_text(f'[spark.config]\n"spark.driver.port" = "{port}"\n')
        code, _, stderr = lagoon("run", *FOLDERS, folder=tmp_path)
    assert code == 3
    assert f"port {port} (spark.driver.port) is taken" in stderr


def test_a_second_process_can_not_write_the_lake(tmp_path: Path) -> None:
    landed(tmp_path)
    with hold_write_lock(str(tmp_path / "lake")):
        code, _, stderr = lagoon("run", *FOLDERS, folder=tmp_path)
    assert code == 3
    assert f"is being written by process {os.getpid()}. Wait until it ends, then run this again." in stderr


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, contextlib\n"
        "sys.argv = ['lagoon', '--help']\n"
        "from spark_jobs import cli\n"
        "with contextlib.suppress(SystemExit):\n"
        "    cli.app(standalone_mode=False)\n"
        "heavy = {'pyspark', 'pyarrow', 'duckdb', 'sqlglot', 'starlette', 'great_expectations', 'dbt', 'numba', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(command in done.stdout for command in ("run", "bronze", "silver", "gold", "report", "sql", "doctor"))


def test_the_version_and_help_are_printed(tmp_path: Path) -> None:
    assert lagoon("--version", folder=tmp_path) == (0, f"lagoon {importlib.metadata.version('lagoon')}\n", "")
    for words in (["-h"], ["run", "-h"], ["sql", "--help"]):
        code, stdout, stderr = lagoon(*words, folder=tmp_path)
        assert (code, stderr) == (0, "")
        assert stdout.startswith("Usage: lagoon ")
    for option in ("-q, --quiet", "-v, --verbose", "--debug", "--lake", "--landing", "--config"):
        assert option in stdout


def test_a_shell_completes_commands_options_and_values(tmp_path: Path) -> None:
    for typed, expected in (
        ("lagoon exp", "explain"),
        ("lagoon run --la", "--landing"),
        ("lagoon sql --format j", "json"),
    ):
        code, stdout, _ = lagoon(
            folder=tmp_path, _LAGOON_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=str(typed.count(" "))
        )
        assert (code, expected in stdout.split()) == (0, True), typed
    # It looks which shell called it: here one that goes on afterwards, so that it does not make room for the command.
    shown = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m spark_jobs.cli --show-completion; true"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_LAGOON_COMPLETE" in shown.stdout
