"""The dashboards of the recording in a headless Chromium, as a person walks through them."""

import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from support.both_engines import comparable
from support.browser import CHROMIUM, Visit, chromium

from benchmarks.multiplied_lake import rename_groups
from benchmarks.served_dashboard import served
from spark_jobs.dashboard.panels import pages
from spark_jobs.lake.tables import Lake
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine
from spark_jobs.report.print_report import report_text
from spark_jobs.settings import load
from spark_jobs.sql.json_values import as_json

pytestmark = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium; apt-get install chromium")

DAY = "cluster=recorded&day=2026-11-18"
HOSTILE = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "'; drop table gold.lag; --",
    "n" * 255,
    "\u202egnitekram\u202c-\u0645\u062c\u0645\u0648\u0639\u0629",
    "\U0001f680 launch \U0001f469\u200d\U0001f4bb",
    "bell\x07 escape\x1b[31m null-free \u2028 line",
    "=cmd|'/c calc'!A1",
    "{{constructor}} ${name} {a|b}",
]


@pytest.fixture(scope="module")
def lake_folder(gold_lake: Lake) -> str:
    return gold_lake.uri


@pytest.fixture(scope="module")
def address(lake_folder: str) -> Iterator[str]:
    with served(lake_folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """A new window. It may ask for nothing but the server, and print nothing."""
    context = browser.new_context(viewport={"width": 1366, "height": 860})
    visit = Visit(context.new_page(), address)
    yield visit
    context.close()
    assert visit.requests
    assert [url for url in visit.requests if not url.startswith(address)] == []
    assert visit.printed == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(pages()))
def test_every_page_shows_all_its_panels_and_can_be_used_by_everybody(visit: Visit, name: str, scheme: str) -> None:
    visit.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    visit.open(f"?page={name}")
    visit.wait()
    titles = visit.page.locator("section.panel h2").all_inner_texts()
    assert titles == [panel.title for panel in pages()[name].panels]
    assert visit.page.locator(".failed").count() == 0
    assert visit.serious_accessibility_problems() == []


@pytest.mark.parametrize("name", list(pages()))
def test_a_page_shows_what_its_query_answers_in_lagoon_sql(
    address: str, lake_folder: str, name: str, visit: Visit
) -> None:
    engine = QuickEngine(DeltaTables(lake_folder))
    visit.open(f"?page={name}&{DAY}&group=cart-recommendations&topic=ledger")
    visit.wait()
    answered = 0
    for panel in pages()[name].panels:
        url = f"{address}api/panel/{name}/{panel.name}?{DAY}&group=cart-recommendations&topic=ledger"
        with urllib.request.urlopen(url) as answer:
            shown = json.load(answer)
        rows = [[as_json(value) for value in row] for row in engine.answer(shown["sql"]).rows]
        assert comparable(shown["rows"]) == comparable(rows), panel.name
        section = visit.page.locator(f"section#{panel.name}")
        if panel.draw == "table" and rows:
            assert section.get_by_role("status").inner_text() == f"{len(rows):,} row{'s' * (len(rows) != 1)}"
        if not rows:
            assert section.locator(".empty").inner_text() == panel.empty
        answered += 1
    assert answered > 2


def test_the_numbers_of_the_day_are_those_of_the_lake(visit: Visit, lake_folder: str) -> None:
    query = """
        select count(*) as groups, sum(findings) as findings, sum(rebalances) as rebalances
        from gold.group_health where day = date'2026-11-18'
    """
    [expected] = QuickEngine(DeltaTables(lake_folder)).answer(query).rows
    visit.open("")
    visit.wait()
    texts = [text.split("\n")[0] for text in visit.page.locator("section#summary dd").all_inner_texts()]
    assert texts[:3] == [f"{value:,}" for value in expected]


def test_a_finding_leads_to_the_group_and_to_the_rows_that_prove_it_and_the_back_button_returns(visit: Visit) -> None:
    visit.open("")
    visit.wait()
    visit.page.locator("section#findings").get_by_role("button", name="Show all").click()
    finding = visit.page.locator(".findings > li", has_text="cart-recommendations rebalanced").first
    finding.get_by_role("link", name="Rows that prove it").click()
    visit.page.wait_for_url("**page=group**group=cart-recommendations**#rebalances")
    visit.wait()
    assert visit.page.locator("h1").inner_text() == "cart-recommendations"
    assert visit.page.locator("section#rebalances tbody tr:not(.gap)").count() >= 12
    visit.page.go_back()
    visit.wait()
    assert visit.page.locator("h1").inner_text() == "Today"
    visit.page.go_forward()
    visit.page.wait_for_selector("h1:has-text('cart-recommendations')")
    visit.wait()
    visit.page.reload()
    visit.wait()
    assert visit.page.locator("h1").inner_text() == "cart-recommendations"


def test_what_is_chosen_stands_in_the_address(visit: Visit) -> None:
    visit.open("?page=rebalances")
    visit.wait()
    visit.page.get_by_label("Range").select_option("7")
    visit.page.wait_for_url("**range=7**")
    visit.wait()
    visit.page.get_by_role("navigation").get_by_role("link", name="Group", exact=True).click()
    visit.wait()
    field = visit.page.get_by_role("combobox", name="Group", exact=True)
    field.click()
    field.fill("rates-rep")
    field.press("ArrowDown")
    field.press("Enter")
    visit.page.wait_for_url("**group=rates-report**")
    visit.wait()
    assert "range=7" in visit.page.url
    assert visit.page.title() == "rates-report · Group · Lagoon"


def test_the_search_finds_groups_and_topics_by_keyboard(visit: Visit) -> None:
    visit.open("")
    visit.wait()
    field = visit.page.get_by_role("combobox", name="Search groups and topics")
    field.click()
    field.fill("ledger")
    visit.page.get_by_role("option").first.wait_for()
    found = [text.split("\n") for text in visit.page.get_by_role("option").all_inner_texts()]
    assert ["ledger-export", "group"] in found
    assert ["ledger", "topic"] in found
    field.press("Enter")
    visit.page.wait_for_url("**ledger**")
    visit.wait()


def test_the_query_beside_a_panel_is_the_one_that_it_runs(visit: Visit) -> None:
    visit.open(f"?page=today&{DAY}")
    visit.wait()
    panel = visit.page.locator("section#groups")
    panel.get_by_role("button", name="SQL").click()
    assert "where cluster = 'recorded' and day = date'2026-11-18'" in panel.locator("pre").inner_text()


def test_a_table_is_sorted_and_filtered(visit: Visit) -> None:
    visit.open(f"?page=today&{DAY}")
    visit.wait()
    panel = visit.page.locator("section#groups")
    panel.get_by_role("button", name="Rebalances").click()
    assert panel.locator("tbody tr:not(.gap) td:nth-child(2)").first.inner_text() == "cart-recommendations"
    panel.get_by_role("searchbox").fill("rates")
    assert panel.get_by_role("status").inner_text().endswith("of 38 rows")
    panel.get_by_role("button", name="Show all columns of the row").first.click()
    assert visit.page.get_by_role("dialog").get_by_text("rates").count() >= 1
    visit.page.keyboard.press("Escape")
    visit.page.wait_for_selector("dialog", state="detached")


def test_a_day_and_a_group_that_nobody_knows_say_why_they_are_empty(visit: Visit) -> None:
    visit.open("?page=group&cluster=recorded&day=2020-01-01&group=nobody")
    visit.wait()
    assert visit.page.locator("section.panel .empty").count() == len(pages()["group"].panels)
    assert visit.page.locator("section#health .empty").inner_text().startswith("No source reports this group")


def test_a_page_fits_on_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    visit = Visit(context.new_page(), address)
    for name in pages():
        visit.open(f"?page={name}")
        visit.wait()
        assert visit.evaluate("document.documentElement.scrollWidth") <= 390, name
    assert visit.printed == []
    context.close()


def test_names_from_telemetry_are_always_text(browser: Browser, lake_folder: str, tmp_path: Path) -> None:
    rename_groups(Path(lake_folder), tmp_path / "lake", HOSTILE)
    with served(str(tmp_path / "lake")) as address:
        visit = Visit(browser.new_context().new_page(), address)
        for name in pages():
            visit.open(f"?page={name}")
            visit.wait()
            assert visit.evaluate("document.querySelectorAll('main script, main img').length") == 0
            assert visit.page.title() != "owned"
        visit.open("")
        visit.wait()
        shown = visit.page.locator("section#groups tbody tr td:nth-child(2)").all_inner_texts()
        assert HOSTILE[0] in shown
        assert not any("\u202e" in text or "\x1b" in text for text in shown)
        for name in HOSTILE:
            visit.page.goto(f"{address}?page=group&{DAY}&" + urllib.parse.urlencode({"group": name}))
            visit.wait()
            assert visit.page.locator("section#health dd").count() > 5, name
        assert visit.printed == []
        assert [url for url in visit.requests if not url.startswith(address)] == []


def test_the_day_as_a_file_opens_from_disk_and_asks_for_nothing(
    browser: Browser, lake_folder: str, tmp_path: Path
) -> None:
    file = tmp_path / "day.html"
    rename_groups(Path(lake_folder), tmp_path / "lake", HOSTILE)
    file.write_text(report_text(load(lake=str(tmp_path / "lake"), environment={}), frozenset(), "html"), "utf-8")
    visit = Visit(browser.new_context().new_page(), file.as_uri())
    visit.open("")
    assert visit.page.locator("section.panel").count() > 20
    assert visit.page.locator(".failed").count() == 0
    assert visit.page.title() != "owned"
    assert visit.serious_accessibility_problems() == []
    assert visit.requests == [file.as_uri()]
    assert visit.printed == []
    assert file.stat().st_size < 3_000_000
