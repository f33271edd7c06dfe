"""The silver tables, found by their declarations: every module of `spark_jobs.silver` that has a `TABLE`."""

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from spark_jobs import silver
from spark_jobs.silver.silver_table import SilverTable


@functools.cache
def silver_tables() -> Mapping[str, SilverTable]:
    """By name; those that take long come first."""
    modules = [
        importlib.import_module(f"{silver.__name__}.{module.name}") for module in pkgutil.iter_modules(silver.__path__)
    ]
    declared: list[SilverTable] = [module.TABLE for module in modules if hasattr(module, "TABLE")]
    return {table.name: table for table in sorted(declared, key=lambda table: (not table.takes_long, table.name))}
