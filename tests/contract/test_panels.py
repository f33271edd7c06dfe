"""Every panel reads columns that exist, can be drawn from what it returns, and is known to dbt."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.declared_tables import declared_tables

from spark_jobs.dashboard.panels import DRAWN_AS, FOLDER, PAGE_NAMES, PICKERS, Panel, choices_query, pages
from spark_jobs.quick.column_types import ColumnType
from spark_jobs.quick.translate import Statement, translate

EXPOSURES = Path(__file__).parents[2] / "dbt_project" / "models" / "exposures.yml"
PARAMETERS: dict[str, ColumnType] = {
    "cluster": "string",
    "day": "date",
    "since": "date",
    "group_id": "string",
    "topic": "string",
}
PANELS = [(page.name, panel) for page in pages().values() for panel in page.panels]
TABLES: Any = declared_tables()


def translated(panel: Panel) -> Statement:
    return translate(panel.sql, TABLES, PARAMETERS)


def test_every_file_is_a_page_or_the_query_of_a_panel() -> None:
    assert len(PANELS) > 40
    assert set(PAGE_NAMES) == {path.parent.name for path in FOLDER.glob("*/page.yml")}
    listed = {f"{page}/{panel.name}.sql" for page, panel in PANELS}
    found = {f"{path.parent.name}/{path.name}" for path in FOLDER.glob("*/*.sql")}
    assert found - listed == {"choices/clusters.sql", "choices/groups.sql", "choices/topics.sql"}


@pytest.mark.parametrize(("page", "panel"), PANELS, ids=lambda each: getattr(each, "name", each))
def test_a_panel_reads_declared_columns_and_returns_what_it_draws(page: str, panel: Panel) -> None:
    columns = {name for name, _ in translated(panel).columns}
    assert panel.draw in DRAWN_AS
    assert panel.sql.startswith("-- One row"), page
    assert len(panel.empty) > 20
    drawn = {column for column in (panel.x, panel.y, panel.series, panel.value) if column}
    assert drawn <= columns
    wanted = {"bars": {"x", "y"}, "lines": {"x", "y", "series"}, "heatmap": {"x", "y", "value"}}.get(panel.draw, set())
    assert {name for name in wanted if getattr(panel, name) is None} == set()


@pytest.mark.parametrize(("page", "panel"), PANELS, ids=lambda each: getattr(each, "name", each))
def test_a_panel_is_about_one_cluster_and_the_chosen_days(page: str, panel: Panel) -> None:
    named = set(re.findall(r":([a-z_]+)", panel.sql))
    assert {"cluster", "day"} <= named <= set(PARAMETERS), page
    pickers = set(pages()[page].pickers)
    assert ("since" in named) <= ("range" in pickers)
    assert ("group_id" in named) <= ("group" in pickers)
    assert ("topic" in named) <= ("topic" in pickers)
    assert pickers <= set(PICKERS)


def test_what_can_be_chosen_reads_declared_columns() -> None:
    for name in ("clusters", "groups", "topics"):
        assert translate(choices_query(name), TABLES, PARAMETERS).columns


def test_dbt_knows_which_page_reads_which_table() -> None:
    exposures = {each["name"]: each for each in yaml.safe_load(EXPOSURES.read_text("utf-8"))["exposures"]}
    assert set(exposures) == {*(f"dashboard_{name}" for name in PAGE_NAMES), "superset"}
    for name, page in pages().items():
        read = {table for panel in page.panels for table in translate(panel.sql, TABLES, PARAMETERS).tables}
        assert {table for panel in page.panels for table in panel.needs} <= read
        listed = set(map(_table, exposures[f"dashboard_{name}"]["depends_on"]))
        assert listed == read, name


def _table(dependency: str) -> str:
    if model := re.fullmatch(r"ref\('(\w+)'\)", dependency):
        return f"gold.{model[1]}"
    source = re.fullmatch(r"source\('(\w+)', '(\w+)'\)", dependency)
    assert source, dependency
    return f"{source[1]}.{source[2]}"


def test_the_days_of_a_range_end_with_the_chosen_day() -> None:
    from spark_jobs.dashboard.panels import parameters_of

    chosen = parameters_of({"day": "2026-11-18", "range": "7", "cluster": "eu"})
    assert (chosen["since"], chosen["day"]) == (dt.date(2026, 11, 12), dt.date(2026, 11, 18))
    assert parameters_of({"day": "x", "range": "1000000000"})["since"] == dt.date(1970, 1, 1)
