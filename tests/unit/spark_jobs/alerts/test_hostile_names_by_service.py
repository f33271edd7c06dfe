"""Hostile names through the services that Apprise speaks to: what would be sent to each of them has them as text."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
import requests
from support.alert_lake import AlertLake, day, finding, noon
from support.alert_runs import Alerting
from support.hostile_names import ACTING, GROUPS

from spark_jobs.alerts.alert_settings import Channel
from spark_jobs.alerts.alert_step import Occasion, preview
from spark_jobs.alerts.apprise_channel import AppriseChannel

# An address of each service, with made-up keys.
SERVICES = {
    "discord": "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "googlechat": "gchat://workspace/key/token",
    "json": "json://127.0.0.1/path",
    "mattermost": "mmost://127.0.0.1/3ccdd113474722377935511fc85d3dd4",
    "ntfy": "ntfy://127.0.0.1/topic",
    "opsgenie": "opsgenie://a6k4ABnck26hDh8AA3EDHoOVdDEUlw3nty",
    "pagerduty": "pagerduty://A1BRTD4JD@TIiajkdnlazkcOXrIdevi7F",
    "rocketchat": "rocket://token/token@127.0.0.1/#channel",
    "slack": "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
    "teams": "workflows://prod-00.westus.logic.azure.com/643e69f83c8944438d68119179a10a64/KODuebWbDGYFr0z0eu",
    "telegram": "tgram://123456789:abcdefg_hijklmnop/12315544/",
    "webex": "wxteams://AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDDEEEEEEEEEEFFFFFFFFFFGGGGGGGGGGHHHHHHHHHHIIIIII",
}
MENTIONS = ("@here", "@everyone", "@channel", "<!channel>", "<@U123>", "@all")
LINKS = ("http://evil.example.org", "[click](http://evil.example.org)", "<http://evil.example.org|click>")
NAMES = [
    *GROUPS.values(),
    *MENTIONS,
    *LINKS,
    "**bold** _italic_ ~gone~",
    "<img src=x onerror=alert(1)>",
    ":rotating_light:",
]
# In any text that leaves. The zero-width space is what mentions and links are broken with.
NOT_AS_IT_IS = (
    *(text for text in ACTING if text != "\u200b"),
    *MENTIONS,
    *LINKS,
    "<img",
    "<script",
    "http://evil",
    "**bold**",
)


@pytest.fixture
def bodies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bodies of all requests; nothing leaves this machine."""
    sent: list[str] = []

    def answer(_: requests.Session, request: requests.PreparedRequest, **__: Any) -> requests.Response:
        body = request.body or b""
        sent.append(body if isinstance(body, str) else body.decode("utf-8"))
        response = requests.Response()
        response.status_code, response._content, response.url = 202, b'{"ok": true, "result": []}', str(request.url)
        response.request = request
        return response

    monkeypatch.setattr(requests.Session, "send", answer)
    return sent


def texts(body: str) -> Iterator[str]:
    """The texts of a body that is JSON, a form, or text itself."""
    try:
        yield from leaves(json.loads(body))
    except ValueError:
        yield from (value for _, value in parse_qsl(body)) if "=" in body.partition("&")[0] else [body]


def leaves(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from leaves(each)
    elif isinstance(document, str):
        yield document


@pytest.mark.parametrize("service", SERVICES)
def test_hostile_names_are_text(lake: AlertLake, alerting: Alerting, bodies: list[str], service: str) -> None:
    lake.add_day(day(1), *(finding(name, kind=f"kind_{number}", cost=name) for number, name in enumerate(NAMES)))
    [outgoing] = preview(alerting(any=Channel(webhook="http://127.0.0.1/")), Occasion(now=noon(1)))
    channel = AppriseChannel(SERVICES[service], "")
    assert channel.problem is None
    channel.send(outgoing.message, [])
    sent = [text for body in bodies for text in texts(body)]
    assert any("Lagoon: " in text for text in sent)
    assert any("skipped records" in text for text in sent)
    for text in sent:
        for acting in NOT_AS_IT_IS:
            assert acting not in text, (acting, text[:2000])
