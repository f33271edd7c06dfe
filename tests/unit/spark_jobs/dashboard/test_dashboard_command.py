"""`lagoon dashboard` as a person starts it."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.delta_lake import write_lake

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
