"""Ingests deliveries: parses the files in landing that the lake does not hold yet, and keeps the rows of the others."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from spark_jobs.bronze import files
from spark_jobs.bronze.parse import DayAndKind, FileReceipt, parse_files
from spark_jobs.bronze.source import Source
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Entry, EventRows, Run, fingerprint
from spark_jobs.lake.sql_literals import date_literal, text_literal
from spark_jobs.lake.tables import Lake
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings


@dataclass(frozen=True)
class Delivery:
    """What one cluster delivered of one source on one day."""

    delivered_on: dt.date
    cluster: str
    source: str
    files: tuple[LandedFile, ...]

    @property
    def declaration(self) -> Source:
        return BRONZE_SOURCES[self.source]

    @property
    def where(self) -> str:
        """SQL that selects its rows in the table of its source."""
        return f"cluster = {text_literal(self.cluster)} and delivered_on = {date_literal(self.delivered_on)}"

    @property
    def where_files(self) -> str:
        """SQL that selects its rows in bronze.files."""
        return f"{self.where} and source = {text_literal(self.source)}"

    @property
    def listing(self) -> int:
        """A fingerprint of its files as landing lists them."""
        return fingerprint((file.path, file.size, file.modified_at) for file in self.files)


@dataclass(frozen=True)
class IngestedDelivery:
    """A delivery and the receipts of the files that were parsed; none if all were known."""

    delivery: Delivery
    parsed: tuple[FileReceipt, ...]


class _FileContent(NamedTuple):
    """One file of a delivery: its path, the hash of its content, and its rows by event day and kind."""

    path: str
    content_hash: str
    rows: Mapping[DayAndKind, int]


def new_deliveries(
    lake: Lake, landed: Sequence[LandedFile], *, days: Set[dt.date] | None, sources: Sequence[str], force: Set[dt.date]
) -> list[Delivery]:
    """Deliveries whose files changed since they were ingested, and those of the days `force`. The oldest comes first.

    `days` limits the result to these days of delivery.
    """
    grouped: dict[tuple[dt.date, str, str], list[LandedFile]] = defaultdict(list)
    for file in landed:
        if file.source in sources and (days is None or file.delivered_on in days):
            grouped[file.delivered_on, file.cluster, file.source].append(file)
    ingested = ledger.newest(lake, "bronze")
    deliveries = [
        Delivery(day, cluster, source, tuple(group)) for (day, cluster, source), group in sorted(grouped.items())
    ]
    return [
        delivery
        for delivery in deliveries
        if delivery.delivered_on in force
        or (entry := ingested.get((delivery.cluster, delivery.delivered_on, delivery.declaration.table))) is None
        or entry.inputs != delivery.listing
    ]


def ingest_deliveries(
    lake: Lake, settings: Settings, deliveries: Sequence[Delivery], *, run: Run, force: Set[dt.date]
) -> Iterator[IngestedDelivery]:
    """Ingests each delivery as a whole or not at all; its entry in the ledger says that it is done."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(
            lambda delivery: _ingest(lake, settings, delivery, run=run, force=delivery.delivered_on in force),
            deliveries,
        )


def _ingest(lake: Lake, settings: Settings, delivery: Delivery, *, run: Run, force: bool) -> IngestedDelivery:
    started = ledger.now()
    file_rows = lake.read(files.TABLE).where(delivery.where_files)
    before = file_rows.select("source_file", "size", "modified_at", "content", "tells").collect()
    known = {(row.source_file, row.size, row.modified_at.replace(tzinfo=dt.UTC)) for row in before}
    new = [file for file in delivery.files if force or (file.path, file.size, file.modified_at) not in known]
    receipts: list[FileReceipt] = []
    rows_written = None
    if new:
        unchanged = {path for path, _, _ in known} - {file.path for file in new}
        rows_written, receipts = _replace(lake, settings, delivery, file_rows, new, unchanged)
    contents = [_FileContent(receipt.file.path, receipt.content_hash, receipt.rows) for receipt in receipts]
    contents += _contents_of_others(before, {receipt.file.path for receipt in receipts})
    ledger.write(lake, run, [_entry(delivery, sorted(contents), started, rows_written)])
    return IngestedDelivery(delivery, tuple(receipts))


def _replace(
    lake: Lake,
    settings: Settings,
    delivery: Delivery,
    file_rows: DataFrame,
    new: Sequence[LandedFile],
    unchanged: Set[str],
) -> tuple[int, list[FileReceipt]]:
    """Writes the rows of new files, and those of unchanged files as they are. Returns the number of rows, and the
    receipts of the new files."""
    table = delivery.declaration.table
    parsed = parse_files(lake.spark, settings, new, delivery.declaration)
    if not unchanged:
        rows_written = lake.replace_by_tasks(table, [parsed.rows], delivery.where)
        all_file_rows = files.file_rows(lake.spark, parsed.receipts())
    else:
        paths = F.broadcast(lake.spark.createDataFrame([(path,) for path in sorted(unchanged)], "source_file string"))
        unchanged_rows = lake.read(table).where(delivery.where).join(paths, "source_file", "left_semi")
        rows_written = lake.replace_by_tasks(table, [parsed.rows, TaskRows(unchanged_rows)], delivery.where)
        new_file_rows = files.file_rows(lake.spark, parsed.receipts())
        all_file_rows = new_file_rows.unionByName(file_rows.join(paths, "source_file", "left_semi"))
    lake.replace(files.TABLE, all_file_rows.coalesce(1), delivery.where_files)
    return rows_written, parsed.receipts()


def _contents_of_others(file_rows: Sequence[Row], parsed: Set[str]) -> list[_FileContent]:
    return [
        _FileContent(
            row.source_file, row.content, {(counted.day, counted.kind): counted.rows for counted in row["tells"]}
        )
        for row in file_rows
        if row.source_file not in parsed
    ]


def _entry(
    delivery: Delivery, contents: Sequence[_FileContent], started: dt.datetime, rows_written: int | None
) -> Entry:
    """The ledger's entry, summed up from all files of the delivery. `rows_written` is null if nothing was written."""
    by_day_and_kind: dict[DayAndKind, list[tuple[str, str, int]]] = defaultdict(list)
    for content in contents:
        for day_and_kind, rows in content.rows.items():
            by_day_and_kind[day_and_kind].append((content.path, content.content_hash, rows))
    event_rows = tuple(
        EventRows(day, kind, sum(rows for *_, rows in of_files), fingerprint(of_files))
        for (day, kind), of_files in sorted(by_day_and_kind.items())
    )
    parsed_rows = sum(counted.rows for counted in event_rows)
    return Entry(
        cluster=delivery.cluster,
        layer="bronze",
        day=delivery.delivered_on,
        table_name=delivery.declaration.table,
        started_at=started,
        ended_at=ledger.now(),
        rows_in=parsed_rows,
        rows_accepted=parsed_rows if rows_written is None else rows_written,
        inputs=delivery.listing,
        result=fingerprint((content.path, content.content_hash) for content in contents),
        event_rows=event_rows,
    )
