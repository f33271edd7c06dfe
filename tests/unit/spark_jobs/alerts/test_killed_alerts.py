"""The step that sends alerts is killed at many points, and called twice at once: nothing is lost, nothing sent again."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.alert_lake import AlertLake, day, finding
from support.mail_server import MailServer
from support.webhook_server import WebhookServer

TESTS = Path(__file__).parents[3]
# Kills that are spread over the step.
KILLS = 14


class Steps:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def begin(self, lake: AlertLake, last: int = 0) -> None:
        self._input.write(f"{last} {lake.folder}\n")
        self._input.flush()

    def end(self) -> tuple[int, str]:
        """The exit code, and how many points there were to be killed at."""
        code, _, points = self._output.readline().strip().partition(" ")
        return int(code), points

    def run(self, lake: AlertLake, last: int = 0) -> tuple[int, str]:
        self.begin(lake, last)
        return self.end()


@contextmanager
def steps(webhook: WebhookServer, mail: MailServer) -> Iterator[Steps]:
    words = [sys.executable, "-m", "support.killed_alerts", webhook.url, mail.url]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"}
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TESTS.parent
    ) as process:
        yield Steps(process)


@pytest.mark.slow
def test_a_step_that_is_killed_anywhere_loses_nothing_and_repeats_nothing_that_it_knew_was_accepted(
    tmp_path: Path, webhook: WebhookServer, mail: MailServer
) -> None:
    sent_twice = Counter[str]()
    with steps(webhook, mail) as processes:
        whole = AlertLake(tmp_path / "whole").add_day(day(1), finding(), finding("other"))
        code, points = processes.run(whole)
        assert code == 0
        assert int(points) > KILLS
        for number in range(KILLS):
            webhook.received.clear()
            mail.accepted.clear()
            lake = AlertLake(tmp_path / str(number)).add_day(day(1), finding(), finding("other"))
            assert processes.run(lake, 1 + number * (int(points) - 1) // KILLS)[0] == 9
            assert processes.run(lake)[0] == 0
            # Accepted and killed before that was written: sent a second time, with the same key.
            assert len({each.key for each in webhook.accepted}) == 1
            assert {alert["group_id"] for alert in webhook.accepted[0].document["alerts"]} == {"billing", "other"}
            assert len(webhook.accepted) in (1, 2)
            assert len(mail.accepted) in (1, 2)
            sent_twice["hook"] += len(webhook.accepted) - 1
            sent_twice["mail"] += len(mail.accepted) - 1
    # That can happen only between the answer of a channel and the commit after it.
    assert sent_twice.total() < KILLS // 2, sent_twice


def test_two_steps_at_once_send_one_message(lake: AlertLake, webhook: WebhookServer, mail: MailServer) -> None:
    lake.add_day(day(1), finding())
    with steps(webhook, mail) as one, steps(webhook, mail) as other:
        one.begin(lake)
        other.begin(lake)
        assert [one.end()[0], other.end()[0]] == [0, 0]
    assert len(webhook.accepted) == len(mail.accepted) == 1
