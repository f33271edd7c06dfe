"""Brings the descriptions of gold's tables and columns to those of the models. dbt writes them only when it creates a table."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import yaml

from spark_jobs.gold.dbt_runner import PROJECT
from spark_jobs.lake.grown_columns import change_descriptions
from spark_jobs.lake.tables import Lake


def correct_descriptions(lake: Lake) -> None:
    """One commit for each table in which some differ."""
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda model: _correct(lake, model), _models()))


def _models() -> list[dict[str, Any]]:
    documents = (yaml.safe_load(path.read_text("utf-8")) for path in sorted((PROJECT / "models/gold").glob("*.yml")))
    return [model for document in documents for model in document.get("models", ())]


def _correct(lake: Lake, model: dict[str, Any]) -> None:
    columns = {column["name"]: column["description"].strip() for column in model["columns"]}
    change_descriptions(lake, f"gold.{model['name']}", model["description"].strip(), columns)
