"""The step that sends alerts is killed wherever it writes or sends, and called twice at once: nothing is lost, and nothing is sent
again to a channel that acknowledged it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from support.alert_lake import AlertLake, day, finding
from support.mail_server import MailServer
from support.webhook_server import WebhookServer

TESTS = Path(__file__).parents[3]
# While a process waits for the answer to a message, or has just read it and not written it down: it can't be known whether the
# channel accepted the message, so it is sent again; a webhook knows it by its key.
NOT_WRITTEN_DOWN = (
    *("socket.connect", "socket.sendall", "socket.recv_into", "post return", "AppriseChannel.send return"),
    *("Acknowledged.add call", "write call"),
)
KILLED = (-9, -14)


class Steps:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def begin(self, lake: AlertLake, channels: dict[str, str], kill: str | None = None) -> None:
        self._input.write(json.dumps({"lake": str(lake.folder), "channels": channels, "kill": kill}) + "\n")
        self._input.flush()

    def end(self) -> tuple[int, list[str]]:
        """The exit code, and the points at which the process could have been killed."""
        done: dict[str, Any] = json.loads(self._output.readline())
        return done["code"], done["points"]

    def run(self, lake: AlertLake, channels: dict[str, str], kill: str | None = None) -> tuple[int, list[str]]:
        self.begin(lake, channels, kill)
        return self.end()


@contextmanager
def steps() -> Iterator[Steps]:
    words = [sys.executable, "-m", "support.killed_alerts"]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"}
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TESTS.parent
    ) as process:
        yield Steps(process)


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain", "html"))
    assert body is not None
    return str(body.get_content())


@pytest.mark.slow
@pytest.mark.parametrize("channel", ["hook", "mail"])
def test_a_step_that_is_killed_anywhere_loses_nothing_and_repeats_nothing_that_was_acknowledged(
    tmp_path: Path, webhook: WebhookServer, mail: MailServer, channel: str
) -> None:
    def new_lake(name: str) -> AlertLake:
        return AlertLake(tmp_path / name).add_day(day(1), finding(f"billing-{name}"), finding(f"other-{name}"))

    def accepted(name: str) -> int:
        """How many messages the channel has accepted with both groups of a lake. None has one of them."""
        groups = {f"billing-{name}", f"other-{name}"}
        if channel == "hook":
            messages = [{alert["group_id"] for alert in each.document["alerts"]} for each in webhook.accepted]
        else:
            messages = [{group for group in groups if f"Group {group} " in text_of(each)} for each in mail.accepted]
        assert all(message >= groups or not message & groups for message in messages)
        return sum(message == groups for message in messages)

    channels = {channel: {"hook": webhook.url, "mail": mail.url}[channel]}
    killed = set[str]()
    with steps() as processes:
        code, points = processes.run(new_lake("whole"), channels)
        assert (code, accepted("whole")) == (0, 1)
        assert len(points) > 30
        for number, point in enumerate(points):
            lake = new_lake(str(number))
            if processes.run(lake, channels, point)[0] in KILLED:
                killed.add(point)
            assert processes.run(lake, channels)[0] == 0
            # Nothing is lost, and nothing sent twice.
            assert accepted(str(number)) in ((1, 2) if point.startswith(NOT_WRITTEN_DOWN) else (1,)), point
    # Whatever was sent twice has one key.
    keys = {(each.key, each.document["alerts"][0]["group_id"]) for each in webhook.accepted}
    assert len({key for key, _ in keys}) == len(keys) == (len(points) + 1 if channel == "hook" else 0)
    # A commit may be done before its time has come, and an answer may come in fewer pieces.
    certain = {point for point in points if not point.endswith(" ms") and "recv_into" not in point}
    assert certain <= killed
    assert any(point.endswith(" ms") for point in killed)
    assert any("recv_into" in point for point in killed)


def test_two_steps_at_once_send_one_message(lake: AlertLake, webhook: WebhookServer, mail: MailServer) -> None:
    lake.add_day(day(1), finding())
    channels = {"hook": webhook.url, "mail": mail.url}
    with steps() as one, steps() as other:
        one.begin(lake, channels)
        other.begin(lake, channels)
        assert [one.end()[0], other.end()[0]] == [0, 0]
    assert len(webhook.accepted) == len(mail.accepted) == 1
