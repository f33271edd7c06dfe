"""Where Spark's Python workers come from: each is forked from this process, which Spark starts by its name.

Spark puts archives on the path of its workers (pyspark as a zip, a jar of its own), and before each task Python reads their
directories again, to see whether a module has come: a tenth of a second a task, which is more than most of ours take.
What is installed is as good. What every task needs is imported once, before the workers are forked, and is nothing that
the garbage collector has to look at after each task.
"""

import gc
import importlib
import sys

_ARCHIVES = (".zip", ".jar", ".egg")
_NEEDED_BY_ALL = (
    *("numpy", "pandas", "pyarrow", "pyarrow.compute", "pyarrow.parquet", "pyarrow.dataset"),
    *("pyspark.sql.pandas.serializers", "pyspark.worker", "spark_jobs.lake"),
)


def _leave_archives() -> None:
    sys.path[:] = [place for place in sys.path if not place.endswith(_ARCHIVES)]
    for place in [place for place in sys.path_importer_cache if any(ending in place for ending in _ARCHIVES)]:
        del sys.path_importer_cache[place]
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        del sys.modules[name]


def main() -> None:
    _leave_archives()
    for name in _NEEDED_BY_ALL:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


if __name__ == "__main__":
    main()
