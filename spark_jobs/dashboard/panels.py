"""Pages and panels as the files in `dashboards/` describe them."""

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from spark_jobs.quick.engine import Parameters

FOLDER = Path(__file__).parents[2] / "dashboards"
STATIC = Path(__file__).parent / "static"
# In the order of the navigation.
PAGE_NAMES = ("today", "group", "topic", "rebalances", "commits", "balance", "lag", "quality", "trust")
DRAWN_AS = ("numbers", "findings", "table", "bars", "lines", "timeline", "story", "heatmap")
_RANGES = (1, 7, 28)
_LONGEST_NAME = 1000
PICKERS = ("cluster", "day", "range", "group", "topic")


@dataclass(frozen=True)
class Panel:
    """One query and how its result is drawn. `needs` are tables that a lake of an older version does not have."""

    name: str
    title: str
    draw: str
    empty: str
    sql: str
    about: str = ""
    x: str | None = None
    y: str | None = None
    series: str | None = None
    value: str | None = None
    needs: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    about: str
    pickers: Sequence[str]
    panels: Sequence[Panel]

    def panel(self, name: str) -> Panel | None:
        return next((panel for panel in self.panels if panel.name == name), None)


@functools.cache
def pages() -> dict[str, Page]:
    return {name: _page(name) for name in PAGE_NAMES}


@functools.cache
def choices_query(name: str) -> str:
    """The query of what can be chosen: clusters, groups or topics."""
    return (FOLDER / "choices" / f"{name}.sql").read_text("utf-8")


def _page(name: str) -> Page:
    folder = FOLDER / name
    described: dict[str, Any] = yaml.safe_load((folder / "page.yml").read_text("utf-8"))
    panels = [
        Panel(**{**each, "sql": (folder / f"{each['name']}.sql").read_text("utf-8")})
        for each in described.pop("panels")
    ]
    return Page(name=name, panels=panels, **described)


def page_for_browser(page: Page) -> dict[str, Any]:
    described = asdict(page)
    for panel in described["panels"]:
        del panel["sql"]
    return described


def parameters_of(query: Mapping[str, str]) -> Parameters:
    """The parameters of every panel. What is not chosen is an empty name, which nothing has."""
    day = parse_day(query.get("day")) or dt.date(1970, 1, 1)
    days = int(query.get("range", "")) if query.get("range", "") in map(str, _RANGES) else 1
    return {
        "cluster": query.get("cluster", "")[:_LONGEST_NAME],
        "day": day,
        "since": day - dt.timedelta(days - 1),
        "group_id": query.get("group", "")[:_LONGEST_NAME],
        "topic": query.get("topic", "")[:_LONGEST_NAME],
    }


def parse_day(text: str | None) -> dt.date | None:
    """Null for what is no day, and for one before Kafka."""
    try:
        day = dt.date.fromisoformat(text) if text else None
    except ValueError:
        return None
    return day if day is not None and day.year >= 2000 else None
