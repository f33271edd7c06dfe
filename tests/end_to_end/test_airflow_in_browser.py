"""`make airflow` as a person uses it, in a headless Chromium: log in, switch the daily DAG on, run a day, open its report."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from support.airflow_environment import installed_airflow
from support.browser import CHROMIUM, chromium
from support.local_airflow import LocalAirflow, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium; apt-get install chromium"),
]

airflow_environment = pytest.fixture(scope="module")(installed_airflow)
DAG, DAY = "telemetry_daily", "2026-11-18"
_MINUTE = 60_000
# Where pictures of the walk are left, for docs/airflow.md.
_PICTURES = os.environ.get("LAGOON_PICTURES")


@pytest.fixture
def airflow(airflow_environment: object, small_landing: Path, tmp_path: Path) -> Iterator[LocalAirflow]:  # noqa: ARG001
    airflow = LocalAirflow(tmp_path / "airflow", LAGOON_LANDING=str(small_landing), LAGOON_LAKE=str(tmp_path / "lake"))
    airflow.start()
    try:
        yield airflow
    finally:
        airflow.stop()


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        page.set_default_timeout(_MINUTE)
        yield page


def picture(page: Page, name: str) -> None:
    if _PICTURES:
        page.screenshot(path=Path(_PICTURES) / f"{name}.png", clip={"x": 0, "y": 0, "width": 1280, "height": 400})


def opened_by(link: Locator) -> Page:
    """The page that a click on the link opens in a tab of its own."""
    with link.page.context.expect_page() as opened:
        link.first.click()
    return opened.value


@pytest.mark.timeout(2400)
def test_a_day_is_run_and_its_report_opened_with_clicks(airflow: LocalAirflow, page: Page) -> None:
    page.goto(f"http://127.0.0.1:{airflow.port}/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(airflow.password())
    page.get_by_role("button", name="Sign in").click()

    page.get_by_test_id("nav-dags-link").click()
    page.get_by_role("heading", name="2 Dags").wait_for()
    page.get_by_role("link", name=DAG).first.click()
    page.get_by_role("button", name="Dag Docs").wait_for()
    page.get_by_test_id("toggle-pause").click()
    page.get_by_test_id("trigger-dag-button").click()
    page.locator("#element_day").fill(DAY)
    picture(page, "airflow-trigger")
    page.get_by_test_id("trigger-dag-submit").click()
    page.wait_for_url("**/runs/manual__*")

    # The switch alone has started a run of yesterday.
    wait_for(lambda: sorted(airflow.runs(DAG).values()) == ["success"] * 2, seconds=1500)
    expect(page.get_by_text("Success", exact=True).first).to_be_visible()
    run = page.url.rstrip("/").rpartition("/")[2]
    page.get_by_test_id(f"grid-{run}-report").click()
    log = page.get_by_text(re.compile(r"\d+ rules? judged these days"))
    expect(log.first).to_be_visible()
    page.get_by_role("link", name="Details").click()
    page.get_by_role("link", name="Report of this day").wait_for()
    picture(page, "airflow-task")
    report = opened_by(page.get_by_role("link", name="Report of this day"))
    report.wait_for_selector("html[data-ready]")
    expect(report.get_by_role("heading", name=f"recorded, {DAY}")).to_be_visible()
    picture(report, "airflow-report")
    for link in (report.get_by_role("link", name="Data Docs"), page.get_by_role("link", name="What every rule found")):
        expect(opened_by(link).get_by_role("link", name=f"{DAY} recorded").first).to_be_visible()
    dashboards = opened_by(page.get_by_role("link", name="Dashboards of this day"))
    dashboards.wait_for_selector("html[data-ready]")
    assert f"day={DAY}" in dashboards.url
