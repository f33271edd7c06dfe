"""The rows of the tables of two lakes, read without Spark, to compare a lake in an object store with one in a folder."""

from pathlib import Path

from deltalake import DeltaTable, QueryBuilder

from spark_jobs.lake.layers import LAYERS

# About the run that wrote a row, or the copy of a file that was read.
_OF_THE_RUN = {"run_id", "rejected_at", "modified_at"}
_OF_THE_RUN_IN = {
    # The fingerprint of a delivery's files contains when they were copied.
    "quality.runs": {"started_at", "ended_at", "made_from"},
    "quality.alerts": {"opened_at", "last_seen_at", "changed_at", "deliveries"},
}


def tables(lake: str, options: dict[str, str], root: Path) -> dict[str, list[str]]:
    """The rows of every table, as text and sorted. `root` is the folder that has the files of the lake."""
    contents = {}
    for layer in LAYERS:
        if not (root / layer).is_dir():
            continue
        for folder in sorted(path for path in (root / layer).iterdir() if path.is_dir()):
            name = f"{layer}.{folder.name}"
            table = DeltaTable(f"{lake}/{layer}/{folder.name}", storage_options=options)
            rows = QueryBuilder().register("rows", table).execute("select * from rows").read_all()
            left_out = _OF_THE_RUN | _OF_THE_RUN_IN.get(name, set())
            columns = sorted(set(rows.column_names) - left_out)
            values = zip(*(rows.column(column).to_pylist() for column in columns), strict=True)
            contents[name] = sorted(str(dict(zip(columns, each, strict=True))) for each in values)
    return contents
