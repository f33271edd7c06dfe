"""A person at Superset: logs in, opens the dashboard, and sees the answers that its charts get."""

import json
import urllib.parse
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page, Response

_MILLISECONDS = 120_000
# So high that all charts are in sight: Superset asks for those alone.
_SIZE = {"width": 1500, "height": 3000}


@dataclass(frozen=True)
class ChartAnswer:
    """`error` is null, `rows` and `query` are what was answered and asked."""

    error: str | None
    rows: list[dict[str, Any]]
    query: str


class SupersetVisitor:
    def __init__(self, browser: Browser, port: int, password: str) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self.page: Page = browser.new_page(viewport=_SIZE)
        self.page.set_default_timeout(_MILLISECONDS)
        self.page.on("response", self._listen)
        self._answers: dict[int, ChartAnswer] = {}
        self.page.goto(f"{self._address}/login/")
        self.page.fill("#username", "admin")
        self.page.fill("#password", password)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/welcome/**")

    def open_dashboard(self, charts: int, **chosen: dict[str, Any]) -> dict[int, ChartAnswer]:
        """The answer to each chart by its number. `chosen` is what is chosen in a filter, by its id."""
        self._answers.clear()
        query = {"native_filters": _rison({f"NATIVE_FILTER-{name}": each for name, each in chosen.items()})}
        self.page.goto(f"{self._address}/superset/dashboard/lagoon/?{urllib.parse.urlencode(query)}")
        waited = 0
        while len(self._answers) < charts and waited < _MILLISECONDS:
            self.page.wait_for_timeout(500)
            waited += 500
        return dict(self._answers)

    def _listen(self, response: Response) -> None:
        if "/api/v1/chart/data" not in response.url:
            return
        form = json.loads(response.request.post_data or "{}")["form_data"]
        if "slice_id" not in form:
            return
        body = response.json()
        [answer] = body.get("result") or [{"error": body.get("message"), "data": [], "query": ""}]
        self._answers[form["slice_id"]] = ChartAnswer(answer.get("error"), answer["data"], answer["query"])


def days(first: str, after_last: str) -> dict[str, Any]:
    chosen = f"{first} : {after_last}"
    return {
        "id": "NATIVE_FILTER-days",
        "extraFormData": {"time_range": chosen},
        "filterState": {"value": chosen},
        "ownState": {},
    }


def groups(*names: str) -> dict[str, Any]:
    condition = {"col": "group_id", "op": "IN", "val": list(names)}
    return {
        "id": "NATIVE_FILTER-group",
        "extraFormData": {"filters": [condition]},
        "filterState": {"value": list(names)},
        "ownState": {},
    }


def _rison(value: Any) -> str:
    """Objects, lists and texts as Superset has them in its addresses."""
    if isinstance(value, dict):
        return f"({','.join(f'{name}:{_rison(each)}' for name, each in value.items())})"
    if isinstance(value, list):
        return f"!({','.join(map(_rison, value))})"
    return f"'{value}'"
