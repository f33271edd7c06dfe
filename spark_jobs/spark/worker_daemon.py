"""Spark's Python worker daemon, made faster. Spark starts it by its module name and forks its workers from it.

- Spark puts archives on the workers' path (pyspark as a zip, and a jar). Before each task Python would read their
  directories again, which takes a tenth of a second: more than most of our tasks. The installed packages do as well.
- What every task needs is imported once, before workers are forked.
- Spark collects garbage after each task. Objects that survived one collection, modules above all, are frozen, so that
  later collections skip them.
"""

import gc
import importlib
import sys
from types import SimpleNamespace

_ARCHIVES = (".zip", ".jar", ".egg")
_PRELOADED = (
    *("numpy", "pandas", "pyarrow", "pyarrow.compute", "pyarrow.parquet", "pyarrow.dataset"),
    *("pyspark.sql.pandas.serializers", "pyspark.worker", "spark_jobs.lake.tables"),
)


def _remove_archives_from_path() -> None:
    sys.path[:] = [place for place in sys.path if not place.endswith(_ARCHIVES)]
    for place in [place for place in sys.path_importer_cache if any(ending in place for ending in _ARCHIVES)]:
        del sys.path_importer_cache[place]
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        del sys.modules[name]


def _collect_and_freeze() -> None:
    gc.collect()
    gc.freeze()


def main() -> None:
    _remove_archives_from_path()
    for name in _PRELOADED:
        importlib.import_module(name)
    _collect_and_freeze()
    daemon = importlib.import_module("pyspark.daemon")
    vars(daemon)["gc"] = SimpleNamespace(collect=_collect_and_freeze)
    daemon.manager()


if __name__ == "__main__":
    main()
