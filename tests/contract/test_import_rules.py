"""Import rules about the modules of tables, which `.importlinter` could state only by repeating the list of tables."""

import grimp
import pytest

import schemas


def modules_of_tables(layer: str) -> set[str]:
    return {f"spark_jobs.{name}" for name, table in schemas.tables().items() if table.layer == layer}


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("spark_jobs")


@pytest.mark.parametrize("layer", ["bronze", "silver"])
def test_no_module_of_a_table_imports_that_of_another(imports: grimp.ImportGraph, layer: str) -> None:
    modules = modules_of_tables(layer)
    assert modules
    assert modules <= imports.modules
    assert {
        (module, imported)
        for module in modules
        for imported in imports.find_modules_directly_imported_by(module) & modules
    } == set()


@pytest.mark.parametrize("room", ["inputs", "pipeline"])
def test_the_inputs_and_the_pipeline_of_silver_import_no_module_of_a_table(
    imports: grimp.ImportGraph, room: str
) -> None:
    tables = modules_of_tables("silver")
    modules = imports.find_descendants(f"spark_jobs.silver.{room}")
    assert tables
    assert modules
    found = {
        (module, table) for module in modules for table in imports.find_modules_directly_imported_by(module) & tables
    }
    assert found == set()
