"""A Superset of its own imports the dashboard of deploy/superset/assets, and asks the recording through `lagoon thrift-server`."""

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from support.browser import CHROMIUM, chromium
from support.superset_api import SupersetApi
from support.superset_assets import read_assets
from support.superset_browser import ChartAnswer, SupersetVisitor, days, groups
from support.superset_server import PASSWORD, SupersetServer
from support.thrift_server import thrift_server

from spark_jobs.dashboard.panels import pages
from spark_jobs.dashboard.shown_query import shown_query
from spark_jobs.lake.tables import Lake

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium; apt-get install chromium"),
]

LAGOON = Path(sys.executable).parent / "lagoon"
CHARTS = {chart.document["slice_name"]: chart for chart in read_assets("charts")}
IMPORTED = {kind: len(read_assets(kind)) for kind in ("databases", "datasets", "charts", "dashboards")}
OF_WHOLE_DAYS = {"Rules and the rows that broke them", "Can these days be trusted?"}
TOTALS = {"Rebalances", "Time that partitions were not read", "Records reprocessed"}

# Charts that show what a panel of our own dashboards shows -> the panel, and its columns by the names that the chart has for them.
SAME_AS_PANEL = {
    "Findings": ("today/findings", {name: name for name in ("severity", "title", "cost", "recommendation")}),
    "Groups by health": (
        "today/groups",
        {
            "group_id": "group_id",
            "lowest_score": "score",
            "findings_sum": "findings",
            "rebalances_sum": "rebalances",
            "paused_sum": "paused_partition_ms",
            "redelivered_sum": "redelivered",
            "widest_replay_window": "replay_window_p99",
            "largest_lag": "lag_max",
        },
    ),
    "Groups by balance": (
        "balance/uneven",
        {name: name for name in ("group_id", "assignor", "members", "idle_members", "partitions", "spread")},
    ),
    "Widest replay windows": ("commits/replay_windows", {"partition": "partition", "widest": "replay_window_p99"}),
    "Rules and the rows that broke them": (
        "quality/rules",
        {"rule": "rule", "table_name": "table_name", "rows_judged": "checked", "rows_broken": "broken"},
    ),
    "Can these days be trusted?": ("today/trust", {"trust": "trust", "sentence": "sentence"}),
}


@pytest.fixture(scope="module")
def server(gold_lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SupersetServer]:
    with thrift_server(gold_lake.uri) as sql_port:
        server = SupersetServer(tmp_path_factory.mktemp("superset"), sql_port)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="module")
def superset(server: SupersetServer) -> SupersetApi:
    return server.start()


@pytest.fixture(scope="module")
def chart_names(superset: SupersetApi) -> dict[int, str]:
    """The charts of the dashboard, by Superset's number."""
    return {chart["id"]: chart["slice_name"] for chart in superset.ask("/dashboard/lagoon/charts")["result"]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def visitor(browser: Browser, server: SupersetServer, superset: SupersetApi) -> SupersetVisitor:  # noqa: ARG001
    return SupersetVisitor(browser, server.port, PASSWORD)


def answers_by_name(
    visitor: SupersetVisitor, chart_names: dict[int, str], **chosen: dict[str, Any]
) -> dict[str, ChartAnswer]:
    return {chart_names[number]: answer for number, answer in visitor.open_dashboard(len(CHARTS), **chosen).items()}


@pytest.fixture(scope="module")
def answers(visitor: SupersetVisitor, chart_names: dict[int, str]) -> dict[str, ChartAnswer]:
    """As the dashboard opens, with nothing chosen."""
    return answers_by_name(visitor, chart_names)


def lagoon_sql(lake: Lake, query: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [LAGOON, "sql", "--lake", lake.uri, "--format", "json", "--", query], capture_output=True, check=True, text=True
    )
    return list(json.loads(done.stdout))


def panel_rows(lake: Lake, address: str) -> list[dict[str, Any]]:
    """What a panel of our own dashboards shows for the recorded day."""
    page, _, name = address.partition("/")
    panel = pages()[page].panel(name)
    assert panel is not None
    day = dt.date(2026, 11, 18)
    return lagoon_sql(lake, shown_query(panel.sql, {"cluster": "recorded", "day": day, "since": day}))


def test_every_chart_is_on_the_dashboard_and_has_rows(answers: dict[str, ChartAnswer]) -> None:
    assert set(answers) == set(CHARTS)
    assert {name: answer.error for name, answer in answers.items()} == dict.fromkeys(CHARTS)
    assert [name for name, answer in answers.items() if not answer.rows] == []
    assert [name for name, answer in answers.items() if "'recorded'" not in answer.query] == []


@pytest.mark.parametrize("chart", SAME_AS_PANEL)
def test_a_chart_has_the_rows_of_our_own_panel(chart: str, answers: dict[str, ChartAnswer], gold_lake: Lake) -> None:
    panel, columns = SAME_AS_PANEL[chart]
    expected = [{ours: row[theirs] for ours, theirs in columns.items()} for row in panel_rows(gold_lake, panel)]
    found = [{name: row[name] for name in columns} for row in answers[chart].rows]
    assert len(expected) > 0
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_numbers_are_those_of_lagoon_sql(answers: dict[str, ChartAnswer], gold_lake: Lake) -> None:
    by_reason = {row["reason"]: row["rebalances"] for row in panel_rows(gold_lake, "rebalances/by_day")}
    [day] = answers["Rebalances by day and reason"].rows
    assert {name: count for name, count in day.items() if name != "day"} == by_reason
    assert answers["Rebalances"].rows == [{"rebalances": sum(by_reason.values())}]

    [read] = lagoon_sql(
        gold_lake,
        """select sum(unread_ms) as not_read, sum(reprocessed_at_least) as at_least from gold.read_starts
           where cause != 'first' and not coalesce(group_was_empty, false)""",
    )
    assert answers["Time that partitions were not read"].rows == [{"not_read": read["not_read"]}]
    assert answers["Records reprocessed"].rows == [{"at_least": read["at_least"]}]

    of_panel = {
        (row["sampled_at"], row["group"]): row["true_lag"]
        for row in panel_rows(gold_lake, "lag/over_time")
        if row["group"] != "others"
    }
    drawn = {
        (dt.datetime.fromtimestamp(row["minute"] / 1000, dt.UTC).isoformat().replace("+00:00", "Z"), group): lag
        for row in answers["Lag over time"].rows
        for group, lag in row.items()
        if group != "minute" and lag is not None
    }
    assert len(drawn) > 20
    assert drawn == of_panel


def test_charts_follow_the_chosen_group_and_days(visitor: SupersetVisitor, chart_names: dict[int, str]) -> None:
    of_group = answers_by_name(visitor, chart_names, group=groups("feature-store"))
    assert {name for name, answer in of_group.items() if "'feature-store'" not in answer.query} == OF_WHOLE_DAYS
    assert [row["group_id"] for row in of_group["Groups by health"].rows] == ["feature-store"]

    of_day = answers_by_name(visitor, chart_names, days=days("2026-11-18", "2026-11-19"))
    assert [name for name, answer in of_day.items() if not answer.rows] == []
    before = answers_by_name(visitor, chart_names, days=days("2026-11-10", "2026-11-18"))
    assert set(before) == set(CHARTS)
    assert {name for name, answer in before.items() if answer.rows} == TOTALS
    assert before["Rebalances"].rows == [{"rebalances": 0}]


def test_a_second_start_changes_nothing_and_an_import_brings_our_dashboard_back(
    server: SupersetServer, superset: SupersetApi, chart_names: dict[int, str]
) -> None:
    [dashboard] = superset.ask("/dashboard/")["result"]
    superset.ask(f"/dashboard/{dashboard['id']}", {"dashboard_title": "Ours"}, method="PUT")
    chart = next(number for number, name in chart_names.items() if name == "Findings")
    superset.ask(f"/chart/{chart}", {"slice_name": "Our findings"}, method="PUT")
    assert server.counts() == IMPORTED

    server.stop()
    api = server.start()
    assert server.counts() == IMPORTED
    assert api.ask("/dashboard/lagoon")["result"]["dashboard_title"] == "Ours"
    assert "Our findings" in {each["slice_name"] for each in api.ask("/dashboard/lagoon/charts")["result"]}

    # As docs/dashboards.md imports it into a Superset that somebody has.
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-c", "lagoon.zip", "assets"], cwd=server.assets.parent, check=True
    )
    server.command("import-dashboards", "--path", str(server.assets.parent / "lagoon.zip"), "--username", "admin")
    assert server.counts() == IMPORTED
    assert api.ask("/dashboard/lagoon")["result"]["dashboard_title"] == dashboard["dashboard_title"]
    assert "Our findings" in {each["slice_name"] for each in api.ask("/dashboard/lagoon/charts")["result"]}
