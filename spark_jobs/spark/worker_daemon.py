"""Where Spark's Python workers come from: each is forked from this process, which Spark starts by its name.

Spark puts archives on the path of its workers (pyspark as a zip, a jar of its own), and before each task Python reads their
directories again, to see whether a module has come: a tenth of a second a task, which is more than most of ours take.
What is installed is as good. What every task needs is imported once, before the workers are forked. After each task Spark
has the garbage collector look at all there is: what has stayed until then, modules most of all, it looks at just once.
"""

import gc
import importlib
import sys
from types import SimpleNamespace

_ARCHIVES = (".zip", ".jar", ".egg")
_NEEDED_BY_ALL = (
    *("numpy", "pandas", "pyarrow", "pyarrow.compute", "pyarrow.parquet", "pyarrow.dataset"),
    *("pyspark.sql.pandas.serializers", "pyspark.worker", "spark_jobs.lake.tables"),
)


def _leave_archives() -> None:
    sys.path[:] = [place for place in sys.path if not place.endswith(_ARCHIVES)]
    for place in [place for place in sys.path_importer_cache if any(ending in place for ending in _ARCHIVES)]:
        del sys.path_importer_cache[place]
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        del sys.modules[name]


def _collect() -> None:
    gc.collect()
    gc.freeze()


def main() -> None:
    _leave_archives()
    for name in _NEEDED_BY_ALL:
        importlib.import_module(name)
    _collect()
    daemon = importlib.import_module("pyspark.daemon")
    vars(daemon)["gc"] = SimpleNamespace(collect=_collect)
    daemon.manager()


if __name__ == "__main__":
    main()
