"""What the tables of a lake contain, to compare lakes."""

from pathlib import Path

import schemas
from spark_jobs.lake import ledger
from spark_jobs.lake.tables import Lake

# Columns about the run that wrote a row, not about the telemetry.
_RUN_COLUMNS = {"run_id", "rejected_at", "modified_at"}


def table_contents(lake: Lake, layers: tuple[str, ...] = ("bronze", "silver", "quality")) -> dict[str, list[str]]:
    """All rows of all tables without the columns about runs, and the newest entries of the ledger."""
    contents = {}
    for name, table in schemas.tables().items():
        if table.layer not in layers or name in ("quality.runs", "quality.rule_results", "quality.alerts"):
            continue
        columns = [column for column in table.column_names if column not in _RUN_COLUMNS]
        contents[name] = sorted(map(str, lake.read(name).select(*columns).collect()))
    for layer in ("bronze", "silver"):
        contents[f"ledger of {layer}"] = sorted(
            str((*key, e.outcome, e.rows_in, e.rows_accepted, e.rows_rejected, e.rows_duplicate, e.inputs, e.result))
            for key, e in ledger.newest(lake, layer).items()
            if layer in layers
        )
    return contents


def gold_contents(lake: Lake) -> dict[str, list[str]]:
    tables = sorted(folder.name for folder in (Path(lake.uri) / "gold").iterdir())
    return {name: sorted(map(str, lake.read(f"gold.{name}").collect())) for name in tables}
