"""The yml files are the one source: what Delta holds is what they say."""

import pytest

import schemas
from spark_jobs.lake.tables import Lake


@pytest.mark.parametrize("name", sorted(schemas.tables()))
def test_delta_holds_the_columns_of_the_schema(recorded_lake: Lake, name: str) -> None:
    table = schemas.table(name)
    held = recorded_lake.read(name).schema
    assert [(field.name, field.dataType.simpleString(), field.nullable) for field in held] == [
        (column.name, column.type.lower(), column.nullable) for column in table.columns
    ]
    assert [field.metadata["comment"] for field in held] == [column.description for column in table.columns]


@pytest.mark.parametrize("name", sorted(name for name in schemas.tables() if not name.startswith("bronze.")))
def test_a_key_is_unique(recorded_lake: Lake, name: str) -> None:
    rows = recorded_lake.read(name)
    assert rows.count() == rows.select(*schemas.table(name).key).distinct().count()
