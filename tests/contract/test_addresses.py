"""The name of a table is the path of its module or model."""

from pathlib import Path

import schemas
from spark_jobs.silver.pipeline.registry import silver_tables

ROOT = Path(__file__).parents[2]

# Tables that a step of the pipeline writes.
_WRITTEN_BY = {
    "quality.runs": "spark_jobs/lake/ledger.py",
    "quality.rule_results": "spark_jobs/lake/rule_results.py",
    "quality.alerts": "spark_jobs/alerts/alert.py",
    "quality.silences": "spark_jobs/alerts/silences.py",
    "quality.rejected_rows": "spark_jobs/silver/pipeline/rejected_rows.py",
}


def test_every_spark_table_has_a_module_of_its_name() -> None:
    tables = schemas.tables()
    assert len(tables) > 10
    for name in tables:
        address = ROOT / _WRITTEN_BY.get(name, f"spark_jobs/{name.replace('.', '/')}.py")
        assert address.is_file(), f"{name} is not built in {address}"


def test_every_silver_table_is_declared_in_its_module_and_in_its_schema() -> None:
    assert set(silver_tables()) == {name for name in schemas.tables() if name.startswith("silver.")}


def test_a_silver_table_is_built_from_declared_states() -> None:
    tables = silver_tables()
    states = {table.name for table in tables.values() if table.is_state}
    assert states
    assert {state for table in tables.values() for state in table.states} <= states


def test_every_gold_model_has_its_columns_beside_it() -> None:
    models = sorted((ROOT / "dbt_project" / "models" / "gold").rglob("*.sql"))
    assert models
    for model in models:
        assert model.with_suffix(".yml").is_file()
        assert model.read_text().startswith("-- one row per"), f"{model.name} does not begin with its grain"


def test_every_column_has_a_description() -> None:
    columns = [(name, column) for name, table in schemas.tables().items() for column in table.columns]
    assert len(columns) > 100
    for name, column in columns:
        assert len(column.description) > 4, f"{name}.{column.name}"


def test_the_columns_of_a_key_exist() -> None:
    for table in schemas.tables().values():
        assert set(table.key) | set(table.partitioned_by) <= set(table.column_names)
