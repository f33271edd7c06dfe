"""What `lagoon upkeep` would do to a lake: a list of steps, each with its size, found without changing anything."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.alerts.alert import WAITING
from spark_jobs.lake import ledger
from spark_jobs.lake.file_folder import FileFolder, FoundFile
from spark_jobs.lake.ledger import ClusterDay, Ledger
from spark_jobs.lake.table_folder import DataFile, TableFolder, open_folder
from spark_jobs.silver.pipeline.plan import DAY_ENTRY
from spark_jobs.upkeep.old_log_entries import old_log_entries

# Files below this size are merged if a partition has at least so many. A run leaves 8 to 31 in some tables.
SMALL_FILE = 16 << 20
_FEWEST_FILES = 8
_RULE_RESULTS, _REJECTED_ROWS = "quality.rule_results", "quality.rejected_rows"
_ALERTS, _SILENCES = "quality.alerts", "quality.silences"
_OF_ALERTS = (_ALERTS, _SILENCES)


@dataclass(frozen=True)
class UpkeepStep:
    """`subject` is a table or a folder, `what` says what becomes of it."""

    subject: str
    what: str
    files: int
    size: int
    act: Callable[[], None]


def steps_for_table(
    table: TableFolder, since: Mapping[str, dt.date], silver: Ledger, cutoff: dt.datetime
) -> list[UpkeepStep]:
    """`cutoff` is the oldest time that queries of old versions may name."""
    layer = table.name.partition(".")[0]
    expired = _expired(table, layer, since[layer], silver) if layer in since else []
    part = "alert" if table.name in _OF_ALERTS else layer
    steps = _steps_for_rows(table, since[part]) if part in since else []
    # Rows that are deleted from a table without partitions leave one file.
    scattered = [] if steps else _scattered(table, expired)
    if expired:
        steps.append(_step(table.name, f"days before {since[layer]}", expired, lambda: _remove(table, expired)))
    if scattered:
        files = [file for of_partition in scattered for file in of_partition]
        what = f"{len(files)} small files merged into {len(scattered)}"
        steps.append(_step(table.name, what, files, lambda: _merge(table, scattered)))
    steps += steps_for_files(
        table.name, f"files of versions before {cutoff:%Y-%m-%d}", table.not_needed(cutoff), table.folder
    )
    steps += steps_for_files(
        table.name, f"log entries of versions before {cutoff:%Y-%m-%d}", old_log_entries(table, cutoff), table.folder
    )
    return steps


def steps_for_files(subject: str, what: str, files: Sequence[FoundFile], folder: FileFolder) -> list[UpkeepStep]:
    """Deletes files of a folder."""
    return [_step(subject, what, files, lambda: folder.delete(file.path for file in files))] if files else []


def _step(subject: str, what: str, files: Sequence[DataFile | FoundFile], act: Callable[[], None]) -> UpkeepStep:
    return UpkeepStep(subject, what, len(files), sum(file.size for file in files), act)


def _expired(table: TableFolder, layer: str, since: dt.date, silver: Ledger) -> list[DataFile]:
    """Silver keeps one day more of each cluster: the state that its first day starts from."""
    column = "delivered_on" if layer == "bronze" else "day"
    if column not in table.partitioned_by or (layer == "quality" and table.name != _REJECTED_ROWS):
        return []
    starts = _start_days(silver, since) if layer == "silver" else set()
    return [
        file
        for file in table.files
        if file.partition[column] < since and (file.partition.get("cluster"), file.partition[column]) not in starts
    ]


def _start_days(silver: Ledger, since: dt.date) -> set[ClusterDay]:
    last: dict[str, dt.date] = {}
    for cluster, day, table in silver:
        if table == DAY_ENTRY and day < since:
            last[cluster] = max(day, last.get(cluster, dt.date.min))
    return set(last.items())


def _remove(table: TableFolder, files: Sequence[DataFile]) -> None:
    open_folder(table.name, table.folder).commit(files, [], "DELETE")


def _steps_for_rows(table: TableFolder, since: dt.date) -> list[UpkeepStep]:
    """Tables without partitions: rule results of older days, entries of the ledger that newer ones replaced, alerts and
    silences that have ended."""
    if table.name not in _OLD_ROWS or not table.files:
        return []
    rows = _all_rows(table)
    old = pc.sum(_OLD_ROWS[table.name](rows, since), min_count=0).as_py()

    def act() -> None:
        now = open_folder(table.name, table.folder)
        rows = _all_rows(now)
        kept = rows.filter(pc.invert(_OLD_ROWS[table.name](rows, since)))
        now.commit(now.files, [now.write(kept, {})] if len(kept) else [], "DELETE")

    what = f"{old:,} of {len(rows):,} rows, from before {since}"
    return [_step(table.name, what, table.files, act)] if old else []


def _all_rows(table: TableFolder) -> pa.Table:
    return pa.concat_tables(table.read_each(table.files))


def _old_days(rows: pa.Table, since: dt.date) -> pa.Array:
    return pc.less(rows["day"], pa.scalar(since))


def _old_entries(rows: pa.Table, since: dt.date) -> pa.Array:
    """Entries that ended before and are not the newest of their slice: those decide what is stale."""
    keys = ("layer", "cluster", "day", "table_name")
    newest: dict[tuple[object, ...], tuple[object, ...]] = {}
    entries = rows.select([*keys, "ended_at", "run_id"]).to_pylist()
    for entry in entries:
        key, order = tuple(entry[name] for name in keys), (entry["ended_at"], entry["run_id"])
        newest[key] = max(order, newest.get(key, order))
    return pa.array(
        [
            entry["ended_at"].date() < since
            and newest[tuple(entry[name] for name in keys)] != (entry["ended_at"], entry["run_id"])
            for entry in entries
        ],
        pa.bool_(),
    )


def _old_alerts(rows: pa.Table, since: dt.date) -> pa.Array:
    """Alerts that ended before, and which no channel still has to get."""
    return pa.array(
        [
            row["resolved_at"] is not None and row["resolved_at"].date() < since and row["outcome"] != WAITING
            for row in rows.select(["resolved_at", "outcome"]).to_pylist()
        ],
        pa.bool_(),
    )


def _old_silences(rows: pa.Table, since: dt.date) -> pa.Array:
    ended = rows.select(["ended_at", "expires_at"]).to_pylist()
    return pa.array([(row["ended_at"] or row["expires_at"]).date() < since for row in ended], pa.bool_())


# Which rows of tables without partitions are old.
_OLD_ROWS = {
    _RULE_RESULTS: _old_days,
    ledger.TABLE: _old_entries,
    _ALERTS: _old_alerts,
    _SILENCES: _old_silences,
}


def _scattered(table: TableFolder, expired: Sequence[DataFile]) -> list[list[DataFile]]:
    """The small files of each partition that has many."""
    by_folder: dict[str, list[DataFile]] = defaultdict(list)
    going = {file.address for file in expired}
    for file in table.files:
        if file.size < SMALL_FILE and file.address not in going:
            by_folder[file.address.rpartition("/")[0]].append(file)
    return [files for _, files in sorted(by_folder.items()) if len(files) >= _FEWEST_FILES]


def _merge(table: TableFolder, scattered: Sequence[Sequence[DataFile]]) -> None:
    """One commit for each partition, so that little has to be in memory."""
    for files in scattered:
        table = open_folder(table.name, table.folder)
        rows = pa.concat_tables(table.read_each(sorted(files, key=lambda file: file.address)))
        merged = table.write(rows, files[0].partition, files[0])
        table.commit(files, [merged], "OPTIMIZE", data_change=False)
