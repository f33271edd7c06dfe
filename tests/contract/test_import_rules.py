"""The rules of `.importlinter` name the modules that make tables: one that is missing there would be free to import any."""

import configparser
from pathlib import Path

import pytest

import schemas

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("layer", ["bronze", "silver"])
def test_every_module_of_a_table_is_held_apart_from_the_others(layer: str) -> None:
    rules = configparser.ConfigParser()
    rules.read(PROJECT / ".importlinter")
    held = set(rules[f"importlinter:contract:{layer}-tables"]["modules"].split())
    made = {f"spark_jobs.{name}" for name, table in schemas.tables().items() if table.layer == layer}

    assert made
    assert held == made
