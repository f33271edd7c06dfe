"""No module of a table imports another's: the rule that `.importlinter` can't say without repeating the list of tables."""

import grimp
import pytest

import schemas


@pytest.mark.parametrize("layer", ["bronze", "silver"])
def test_no_module_of_a_table_imports_that_of_another(layer: str) -> None:
    imports = grimp.build_graph("spark_jobs")
    modules = {f"spark_jobs.{name}" for name, table in schemas.tables().items() if table.layer == layer}

    assert modules
    assert modules <= imports.modules
    assert {
        (one, other) for one in modules for other in imports.find_modules_directly_imported_by(one) & modules
    } == set()
