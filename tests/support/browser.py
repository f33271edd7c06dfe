"""A headless Chromium that opens the dashboards, and what a page did there."""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
_AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")
_MILLISECONDS = 60_000


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page of the dashboards, and everything that it printed or asked for."""

    page: Page
    address: str
    printed: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_MILLISECONDS)
        self.page.on("console", lambda message: self.printed.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.printed.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self._console = self.page.context.new_cdp_session(self.page)

    def open(self, query: str) -> None:
        self.page.goto(f"{self.address}{query}")
        self.page.wait_for_selector("html[data-ready]")

    def wait(self) -> None:
        """Until all panels of the page are filled."""
        self.page.wait_for_selector("main .grid")
        self.page.wait_for_selector("[aria-busy]", state="detached")

    def evaluate(self, expression: str) -> Any:
        """Past the page's own policy, which forbids to evaluate texts."""
        found = self._console.send(
            "Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def serious_accessibility_problems(self) -> list[str]:
        self.evaluate(f"{_AXE}; 1")
        found = json.loads(
            self.evaluate(
                "axe.run(document).then(r => JSON.stringify(r.violations.filter(v => "
                "['serious', 'critical'].includes(v.impact)).map(v => `${v.id}: ${v.nodes[0].html}`)))"
            )
        )
        return list(found)
