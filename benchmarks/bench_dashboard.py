"""The dashboards on many groups and days: `python -m benchmarks.bench_dashboard [LAKE] [--copies 49] [--days 30]`.

LAKE is the lake of the recording (build/lake, which `make run` builds). Its groups and days are multiplied into a lake of about
2,000 groups and 30 days. For each page: its queries run one after the other by the quick engine; then, in a headless
Chromium, a click opens the page. Prints both times, their ratio, and when a new window was first painted.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.claims import claim
from benchmarks.multiplied_lake import multiply
from spark_jobs.dashboard.panels import pages, parameters_of
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine

_ROUNDS = 3
_CHROMIUM = "/usr/bin/chromium"
# A click on a page's name, and the milliseconds until the frame after the one in which none of its panels is awaited any more.
_OPEN_PAGE = """new Promise((done) => {
    const started = performance.now();
    document.querySelector("nav a[href*='page=NAME&']").click();
    const look = () => {
        const isOpen = document.querySelector("nav a[href*='page=NAME&'][aria-current]") && !document.querySelector("[aria-busy]");
        requestAnimationFrame(isOpen ? () => done(performance.now() - started) : look);
    };
    requestAnimationFrame(look);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path, nargs="?", default=Path("build/lake"))
    parser.add_argument("--copies", type=int, default=49)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--folder", type=Path, help="where the large lake is, or is written to if it is not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        large = given.folder or Path(scratch) / "lake"
        if not large.exists():
            multiply(given.lake, large, copies=given.copies, days=given.days)
        compare_pages(str(large))


def compare_pages(lake: str) -> None:
    from playwright.sync_api import sync_playwright

    from benchmarks.served_dashboard import served

    engine = QuickEngine(DeltaTables(lake))
    newest = next(engine.answer("select max(day) as day from gold.group_health").rows)[0]
    [(groups,)] = engine.answer("select count(*) as n from gold.group_health where day = :day", {"day": newest}).rows
    print(f"{groups:,} groups on {newest}")
    query = f"cluster=recorded&day={newest}&range=28&group=cart-recommendations&topic=orders"
    with served(lake) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        for name in pages():
            alone = min(_seconds_of_queries(lake, name, query) for _ in range(_ROUNDS))
            opened, painted = min(_seconds_of_page(browser, address, query, name) for _ in range(_ROUNDS))
            print(
                f"{name}: queries {alone:.2f} s, page {opened:.2f} s, ratio {opened / alone:.2f}, "
                f"first painted after {painted:.2f} s",
                flush=True,
            )
            claim(f"page {name} / its queries", opened / alone, "x", at_most=2)
            claim(f"page {name}, first painted", painted, "s", at_most=1)
        browser.close()


def _seconds_of_queries(lake: str, name: str, query: str) -> float:
    parameters = parameters_of(dict(part.split("=") for part in query.split("&")))
    engine = QuickEngine(DeltaTables(lake))
    started = time.perf_counter()
    for panel in pages()[name].panels:
        if all(map(engine.tables.find, panel.needs)):
            for _ in engine.answer(panel.sql, parameters).rows:
                pass
    return time.perf_counter() - started


def _seconds_of_page(browser: Any, address: str, query: str, name: str) -> tuple[float, float]:
    """How long a click on the page's name takes until all its panels are there, and when a new window is first painted."""
    page = browser.new_page()
    page.goto(f"{address}?page={'trust' if name == 'today' else 'today'}&{query}")
    page.wait_for_selector("html[data-ready]", timeout=120_000)
    session = page.context.new_cdp_session(page)
    # The page measures itself: Playwright asks only every half second whether an element is gone.
    opening = session.send(
        "Runtime.evaluate",
        {"expression": _OPEN_PAGE.replace("NAME", name), "returnByValue": True, "awaitPromise": True},
    )
    opened = opening["result"]["value"] / 1000
    paint = "performance.getEntriesByType('paint').find(p => p.name === 'first-contentful-paint').startTime"
    painted = session.send("Runtime.evaluate", {"expression": paint, "returnByValue": True})["result"]["value"] / 1000
    page.close()
    return opened, painted


if __name__ == "__main__":
    main()
