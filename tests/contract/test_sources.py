"""The names of the sources are a setting's values too, and there they are listed without importing their readers."""

from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.settings import SOURCES


def test_settings_list_the_sources_that_bronze_tables_declare() -> None:
    assert tuple(BRONZE_SOURCES) == SOURCES
