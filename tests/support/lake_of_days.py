"""A lake of many small days, written without Spark: for each day and cluster a few rows of each kind of table."""

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

import schemas
from spark_jobs.bronze.file_contents import FileContent, event_rows_of, fingerprint_of
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.ledger import Entry, Run, encoded
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import open_folders
from spark_jobs.silver.pipeline.plan import DAY_ENTRY
from support.arrow_types import columns_of

FINDINGS = pa.schema(
    [("cluster", pa.string()), ("group_id", pa.string()), ("title", pa.string()), ("day", pa.date32())]
)
_DEFAULTS: dict[Any, Any] = {pa.string(): "", pa.int64(): 0, pa.int32(): 0, pa.bool_(): True}


def row_of(table: str, **values: Any) -> dict[str, Any]:
    """A row with these values; other columns are null, or as good as empty where they can't be."""
    row: dict[str, Any] = {}
    for field in columns_of(table):
        default = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) if pa.types.is_timestamp(field.type) else None
        default = [] if pa.types.is_list(field.type) else _DEFAULTS.get(field.type, default)
        row[field.name] = values.get(field.name, None if field.nullable else default)
    return row


def append(lake: Path | FileFolder, table: str, rows: Iterable[dict[str, Any]]) -> None:
    declared = schemas.tables().get(table)
    columns = columns_of(table) if declared else FINDINGS
    folder = (LocalFolder(lake) if isinstance(lake, Path) else lake).below(table.replace(".", "/"))
    write_deltalake(
        folder.uri,
        pa.Table.from_pylist(list(rows), columns),
        mode="append",
        partition_by=list(declared.partitioned_by) if declared else ["day"],
        storage_options=folder.delta_options,
    )


def write_day(lake: Path, cluster: str, day: dt.date, group: str = "orders", text: str = "Group {} rebalances") -> None:
    """One delivery of one log file with one line of the group and one of another, and what follows from it."""
    path, at = f"group_logs/cluster={cluster}/date={day}/b1/server.log", dt.datetime.combine(day, dt.time(12), dt.UTC)
    place = {"cluster": cluster, "delivered_on": day, "day": day, "source_file": path}
    lines = [
        {"group_id": name, "text": text.format(name), "kind": "event", "source_position": number}
        for number, name in enumerate((group, "billing"))
    ]
    append(lake, "bronze.log_lines", [row_of("bronze.log_lines", **place, **line) for line in lines])
    counted = [{"day": day, "kind": "event", "rows": 2}]
    file = {**place, "source": "group_logs", "content": "c0", "tells": counted, "records": 2, "understood": 2}
    append(lake, "bronze.files", [row_of("bronze.files", **file)])
    append(lake, "silver.group_events", [row_of("silver.group_events", **place, **line) for line in lines])
    append(lake, "silver.positions", [row_of("silver.positions", **place, group_id=group)])
    append(
        lake, "gold.findings",
        [{"cluster": cluster, "group_id": each["group_id"], "title": each["text"], "day": day} for each in lines],
    )  # fmt: skip
    rejected = {"table_name": "silver.group_events", "row_json": f'{{"group_id":"{group}"}}', "rules": ["r"]}
    append(lake, "quality.rejected_rows", [row_of("quality.rejected_rows", **place, **rejected)])
    append(lake, "quality.rule_results", [row_of("quality.rule_results", **place, rule="r", run_id=str(day))])
    contents = [FileContent(path, "c0", {(day, "event"): 2})]
    bronze = Entry(
        *(cluster, "bronze", day, "bronze.log_lines", at, at),
        rows_in=2, rows_accepted=2, inputs=1, result=fingerprint_of(contents), event_rows=event_rows_of(contents),
    )  # fmt: skip
    built = Entry(cluster, "silver", day, DAY_ENTRY, at, at, inputs=5, result=day.toordinal(), build_version=1)
    counts = Entry(
        *(cluster, "silver", day, "silver.group_events", at, at), rows_in=3, rows_accepted=2, rows_rejected=1
    )
    append(lake, "quality.runs", [encoded(Run(f"{day}-1"), entry) for entry in (bronze, built, counts)])


def contents(lake: Path | FileFolder) -> dict[str, list[str]]:
    """All rows of all tables."""
    tables = open_folders(LocalFolder(lake) if isinstance(lake, Path) else lake)
    return {
        name: sorted(
            str(sorted(({**row, **file.partition}).items()))
            for file, rows in zip(table.files, table.read_each(table.files), strict=True)
            for row in rows.to_pylist()
        )
        for name, table in sorted(tables.items())
    }
