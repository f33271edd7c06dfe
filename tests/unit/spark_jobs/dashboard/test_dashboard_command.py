"""`lagoon dashboard` as a person starts it."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.delta_lake import write_lake

from benchmarks.served_dashboard import served

LAGOON = str(Path(sys.executable).parent / "lagoon")


@pytest.mark.parametrize(("host", "has_token"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_the_dashboard_serves_a_lake_until_it_is_interrupted(tmp_path: Path, host: str, has_token: bool) -> None:
    write_lake(tmp_path / "lake")
    command = [LAGOON, "dashboard", "--no-browser", "--host", host, "--lake", str(tmp_path / "lake")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            assert str(tmp_path / "lake") in server.stdout.readline()
            address = server.stdout.readline().strip().replace("0.0.0.0", "127.0.0.1")
            assert ("?token=" in address) == has_token
            if not has_token:
                with urllib.request.urlopen(f"{address}api/choices") as answer:
                    assert b'"built":false' in answer.read()
        finally:
            # Else a failed test would wait for ever.
            server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert "Traceback" not in errors


def test_a_token_of_the_settings_is_asked_for_and_not_printed(tmp_path: Path) -> None:
    write_lake(tmp_path / "lake")
    command = [LAGOON, "dashboard", "--no-browser", "--host", "0.0.0.0", "--lake", str(tmp_path / "lake")]
    token = "chosen-by-an-operator"
    environment = os.environ | {"LAGOON_DASHBOARD_TOKEN": token}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as server:
        try:
            assert server.stdout
            printed = server.stdout.readline() + (address := server.stdout.readline())
            pages = f"http://127.0.0.1:{urlsplit(address.strip()).port}/api/pages"
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(pages)
            with urllib.request.urlopen(
                urllib.request.Request(pages, headers={"Cookie": f"lagoon_token={token}"})
            ) as answer:
                assert b'"today"' in answer.read()
        finally:
            server.send_signal(signal.SIGINT)
        rest, errors = server.communicate(timeout=30)
    assert token not in printed + rest + errors


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    write_lake(tmp_path / "lake")
    done = subprocess.run(
        [LAGOON, "dashboard", "--no-browser", "--host", "0.0.0.0", "--lake", str(tmp_path / "lake")],
        env=os.environ | {"LAGOON_DASHBOARD_TOKEN": "short"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "fewer than 16 characters" in done.stderr, "short" in done.stderr) == (2, True, False)


def test_the_folder_that_a_first_run_will_fill_is_served_as_an_empty_lake(tmp_path: Path) -> None:
    (tmp_path / "lake" / "quality").mkdir(parents=True)
    with served(str(tmp_path / "lake")) as address, urllib.request.urlopen(f"{address}api/choices") as answer:
        assert json.load(answer) == {"clusters": [], "days": [], "groups": [], "topics": [], "built": False}


def test_a_lake_that_does_not_exist_and_a_port_that_is_taken_are_one_sentence(tmp_path: Path) -> None:
    for words, sentence in (
        (["--lake", str(tmp_path / "none")], "there is no lake at"),
        (["--lake", "s3a://bucket/lake"], "the object store of s3a://bucket/lake (http://127.0.0.1:1) does not answer"),
    ):
        done = subprocess.run(
            [LAGOON, "dashboard", "--no-browser", *words],
            env=os.environ
            | {"LAGOON_STORE_ENDPOINT": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.returncode in (2, 3)
