"""bronze.files, and the taking of deliveries: what is new in landing is read, what is known is kept."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import functions as F

import schemas
from spark_jobs.bronze import lag_readings, log_lines, offset_records
from spark_jobs.bronze.parse import FileRead, Source, read_files
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Entry, EventRows, Run, fingerprint
from spark_jobs.lake.tables import Lake
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings

TABLE = "bronze.files"
READERS: Mapping[str, Source] = {
    "group_logs": log_lines.SOURCE,
    "offset_dumps": offset_records.SOURCE,
    "lag_metrics": lag_readings.SOURCE,
}


@dataclass(frozen=True)
class Delivery:
    """What one cluster delivered of one source on one day."""

    delivered_on: dt.date
    cluster: str
    source: str
    files: tuple[LandedFile, ...]

    @property
    def table(self) -> str:
        return READERS[self.source].table

    @property
    def slice(self) -> str:
        return f"cluster = '{_quoted(self.cluster)}' and delivered_on = date'{self.delivered_on}'"

    @property
    def listing(self) -> int:
        return fingerprint((file.path, file.size, file.modified_at) for file in self.files)


@dataclass(frozen=True)
class Taken:
    """What came of a delivery: nothing was new if `files` is empty."""

    delivery: Delivery
    files: tuple[FileRead, ...]


def new_deliveries(
    lake: Lake, files: Sequence[LandedFile], *, days: Set[dt.date] | None, sources: Sequence[str], force: Set[dt.date]
) -> list[Delivery]:
    """Deliveries that look other than when they were taken, oldest first, and those of the days `force`.

    `days` limits them to some days of delivery.
    """
    grouped: dict[tuple[dt.date, str, str], list[LandedFile]] = defaultdict(list)
    for file in files:
        if file.source in sources and (days is None or file.delivered_on in days):
            grouped[file.delivered_on, file.cluster, file.source].append(file)
    known = ledger.newest(lake, "bronze")
    found = [Delivery(day, cluster, source, tuple(group)) for (day, cluster, source), group in sorted(grouped.items())]
    return [
        delivery
        for delivery in found
        if delivery.delivered_on in force
        or (entry := known.get((delivery.cluster, delivery.delivered_on, delivery.table))) is None
        or entry.inputs != delivery.listing
    ]


def take(
    lake: Lake, settings: Settings, deliveries: Sequence[Delivery], *, run: Run, force: Set[dt.date]
) -> Iterator[Taken]:
    """Reads what is new. Each delivery is written whole or not at all, and known by its entry in the ledger."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(
            lambda delivery: _take(lake, settings, delivery, run=run, force=delivery.delivered_on in force), deliveries
        )


def _take(lake: Lake, settings: Settings, delivery: Delivery, *, run: Run, force: bool) -> Taken:
    started = ledger.now()
    standing = lake.read(TABLE).where(f"{delivery.slice} and source = '{delivery.source}'")
    receipts_before = standing.select("source_file", "size", "modified_at", "content", "tells").collect()
    known = {(row.source_file, row.size, row.modified_at.replace(tzinfo=dt.UTC)) for row in receipts_before}
    new = [f for f in delivery.files if force or (f.path, f.size, f.modified_at) not in known]
    read: list[FileRead] = []
    stands = None
    if new:
        source = READERS[delivery.source]
        kept = {path for path, _, _ in known} - {file.path for file in new}
        rows = read_files(lake.spark, settings, new, source)
        parts = [TaskRows(rows.tasks, rows.read_task)]
        if kept:
            keeps = lake.spark.createDataFrame([(path,) for path in sorted(kept)], "source_file string")
            stood = lake.read(source.table).where(delivery.slice).join(F.broadcast(keeps), "source_file", "left_semi")
            parts.append(TaskRows(stood))
        stands = lake.replace_by_tasks(source.table, parts, delivery.slice)
        read = rows.receipts()
        receipts = lake.spark.createDataFrame([_row(done) for done in read], schemas.table(TABLE).ddl)
        if kept:
            receipts = receipts.unionByName(standing.join(F.broadcast(keeps), "source_file", "left_semi"))
        lake.replace(TABLE, receipts.coalesce(1), f"{delivery.slice} and source = '{delivery.source}'")
    replaced = {done.file.path for done in read}
    tells = [_Tells(done.file.path, done.content, done.tells) for done in read] + [
        _Tells(row.source_file, row.content, {(tell.day, tell.kind): tell.rows for tell in row.tells})
        for row in receipts_before
        if row.source_file not in replaced
    ]
    ledger.write(lake, run, [_entry(delivery, sorted(tells), started, stands)])
    return Taken(delivery, tuple(read))


class _Tells(NamedTuple):
    """What one file of a delivery tells of each event day."""

    path: str
    content: str
    rows: Mapping[tuple[dt.date, str], int]


def _entry(delivery: Delivery, files: Sequence[_Tells], started: dt.datetime, stands: int | None) -> Entry:
    """Summed up from the receipts, of new files and of kept ones; `stands` is how many rows were written, if any were."""
    told: dict[tuple[dt.date, str], list[tuple[str, str, int]]] = defaultdict(list)
    for file in files:
        for of, rows in file.rows.items():
            told[of].append((file.path, file.content, rows))
    offered = sum(rows for of in told.values() for *_, rows in of)
    return Entry(
        cluster=delivery.cluster,
        layer="bronze",
        day=delivery.delivered_on,
        table_name=delivery.table,
        started_at=started,
        ended_at=ledger.now(),
        rows_in=offered,
        rows_accepted=offered if stands is None else stands,
        inputs=delivery.listing,
        result=fingerprint((file.path, file.content) for file in files),
        event_rows=tuple(
            EventRows(day, kind, sum(rows for *_, rows in of), fingerprint(of)) for (day, kind), of in sorted(told.items())
        ),
    )


def _row(done: FileRead) -> tuple[object, ...]:
    file, receipt = done.file, done.receipt
    return (
        file.cluster,
        file.delivered_on,
        file.source,
        file.path,
        file.origin,
        file.size,
        file.modified_at,
        done.content,
        receipt.format,
        receipt.records,
        receipt.understood,
        receipt.not_understood,
        receipt.ignored,
        receipt.details,
        [(day, kind, rows) for (day, kind), rows in sorted(done.tells.items())],
        done.first_at,
        done.last_at,
        done.problem,
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
