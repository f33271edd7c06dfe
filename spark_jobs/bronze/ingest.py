"""Ingests deliveries: parses the files in landing that the lake does not hold yet, and keeps the rows of the others."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from spark_jobs.bronze import files
from spark_jobs.bronze.file_contents import FileContent, ReadWith, content_of, event_rows_of, fingerprint_of
from spark_jobs.bronze.parse import FileReceipt, ParsedFiles, parse_files
from spark_jobs.bronze.source import Source
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger, Run, fingerprint
from spark_jobs.lake.sql_literals import date_literal, text_literal
from spark_jobs.lake.tables import Lake
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings
from spark_jobs.settings_fingerprint import settings_fingerprint


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

    def read_with(self, settings: Settings) -> "ReadWith":
        """What its files are read with now."""
        return ReadWith(
            settings_fingerprint(settings, [self.declaration.table], [self.cluster]), self.declaration.reader_version
        )


@dataclass(frozen=True)
class IngestedDelivery:
    """A delivery and the receipts of the files that were parsed; none if all were known."""

    delivery: Delivery
    parsed: tuple[FileReceipt, ...]
    # Files that were read with other settings and are no longer in landing.
    not_read_again: tuple[str, ...]
    # The same of files that other readers have read, with these settings.
    read_by_other_versions: tuple[str, ...]


def new_deliveries(
    ingested: Ledger,
    settings: Settings,
    landed: Sequence[LandedFile],
    *,
    days: Set[dt.date] | None,
    sources: Sequence[str],
    force: Set[dt.date],
    kept_since: dt.date = dt.date.min,
) -> list[Delivery]:
    """Deliveries whose files, or settings or readers to read them with, changed since they were ingested, and those of the days
    `force`. The oldest comes first. A delivery before `kept_since` is never new: bronze gave it up.

    `days` limits the result to these days of delivery.
    """
    grouped: dict[tuple[dt.date, str, str], list[LandedFile]] = defaultdict(list)
    for file in landed:
        if file.source in sources and file.delivered_on >= kept_since and (days is None or file.delivered_on in days):
            grouped[file.delivered_on, file.cluster, file.source].append(file)
    deliveries = [
        Delivery(day, cluster, source, tuple(group)) for (day, cluster, source), group in sorted(grouped.items())
    ]
    return [
        delivery
        for delivery in deliveries
        if delivery.delivered_on in force
        or (entry := ingested.get((delivery.cluster, delivery.delivered_on, delivery.declaration.table))) is None
        or entry.inputs != delivery.listing
        or ReadWith(entry.settings, entry.build_version) != delivery.read_with(settings)
    ]


def given_up(ingested: Ledger, landed: Sequence[LandedFile], kept_since: dt.date) -> list[LandedFile]:
    """The files of deliveries before `kept_since` that are not, as they are now, what bronze once held."""
    grouped: dict[tuple[dt.date, str, str], list[LandedFile]] = defaultdict(list)
    for file in landed:
        if file.delivered_on < kept_since:
            grouped[file.delivered_on, file.cluster, file.source].append(file)
    deliveries = [Delivery(*place, tuple(files)) for place, files in sorted(grouped.items())]
    return [
        file
        for delivery in deliveries
        if (entry := ingested.get((delivery.cluster, delivery.delivered_on, delivery.declaration.table))) is None
        or entry.inputs != delivery.listing
        for file in delivery.files
    ]


def out_of_reach(
    ingested: Ledger, settings: Settings, landed: Sequence[LandedFile], kept_since: dt.date = dt.date.min
) -> list[ClusterDay]:
    """The deliveries that were read with other settings and can't be read again, because landing no longer has them."""
    in_landing = {(file.cluster, file.delivered_on, BRONZE_SOURCES[file.source].table) for file in landed}
    return sorted(
        {
            (cluster, day)
            for (cluster, day, table), entry in ingested.items()
            if day >= kept_since
            and (cluster, day, table) not in in_landing
            and entry.settings != settings_fingerprint(settings, [table], [cluster])
        }
    )


@dataclass
class FileCount:
    """How many files of some deliveries are done, while they are ingested."""

    _parsing: dict[Delivery, ParsedFiles] = field(default_factory=dict)
    _done: dict[Delivery, int] = field(default_factory=dict)

    def start(self, delivery: Delivery, parsed: ParsedFiles) -> None:
        self._parsing[delivery] = parsed

    def end(self, delivery: Delivery) -> None:
        self._done[delivery] = len(delivery.files)

    def files_done(self) -> int:
        parsing = [parsed for delivery, parsed in list(self._parsing.items()) if delivery not in self._done]
        return sum(parsed.files_done() for parsed in parsing) + sum(list(self._done.values()))


def ingest_deliveries(
    lake: Lake,
    settings: Settings,
    deliveries: Sequence[Delivery],
    *,
    run: Run,
    force: Set[dt.date],
    count: FileCount | None = None,
) -> Iterator[IngestedDelivery]:
    """Ingests each delivery as a whole or not at all; its entry in the ledger says that it is done."""
    file_count = count or FileCount()

    def ingest(delivery: Delivery) -> IngestedDelivery:
        forced = delivery.delivered_on in force
        ingested = _ingest(lake, settings, delivery, run=run, force=forced, count=file_count)
        file_count.end(delivery)
        return ingested

    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(ingest, deliveries)


def _ingest(
    lake: Lake, settings: Settings, delivery: Delivery, *, run: Run, force: bool, count: FileCount
) -> IngestedDelivery:
    started = lake.clock.now()
    file_rows = lake.read(files.TABLE).where(delivery.where_files)
    before = file_rows.select(
        "source_file", "size", "modified_at", "content", "tells", "settings", "reader_version"
    ).collect()
    now = delivery.read_with(settings)
    known = {
        (row.source_file, row.size, row.modified_at.replace(tzinfo=dt.UTC)) for row in before if _read_with(row) == now
    }
    new = [file for file in delivery.files if force or (file.path, file.size, file.modified_at) not in known]
    receipts: list[FileReceipt] = []
    rows_written = None
    if new:
        unchanged = {row.source_file for row in before} - {file.path for file in new}
        files_read = parse_files(lake.spark, settings, new, delivery.declaration)
        count.start(delivery, files_read)
        rows_written, receipts = _replace(lake, settings, delivery, file_rows, files_read, unchanged)
    contents = [
        FileContent(receipt.file.path, content_of(receipt.content_hash, now), receipt.rows) for receipt in receipts
    ]
    parsed = {receipt.file.path for receipt in receipts}
    contents += _contents_of_others(before, parsed)
    ledger.write(lake, run, [_entry(delivery, now, sorted(contents), started, lake.clock.now(), rows_written)])
    kept = [(row.source_file, _read_with(row)) for row in before if row.source_file not in parsed]
    return IngestedDelivery(
        delivery,
        tuple(receipts),
        tuple(path for path, before in kept if before.settings != now.settings),
        tuple(path for path, before in kept if before != now and before.settings == now.settings),
    )


def _read_with(file_row: Row) -> ReadWith:
    return ReadWith(file_row.settings, file_row.reader_version)


def _replace(
    lake: Lake,
    settings: Settings,
    delivery: Delivery,
    file_rows: DataFrame,
    parsed: ParsedFiles,
    unchanged: Set[str],
) -> tuple[int, list[FileReceipt]]:
    """Writes the rows of parsed files, and those of unchanged files as they are. Returns the number of rows, and the
    receipts of the parsed files."""
    table = delivery.declaration.table
    if not unchanged:
        rows_written = lake.replace_by_tasks(table, [parsed.rows], delivery.where)
        all_file_rows = files.file_rows(lake.spark, parsed.receipts(), delivery.read_with(settings))
    else:
        paths = F.broadcast(lake.spark.createDataFrame([(path,) for path in sorted(unchanged)], "source_file string"))
        unchanged_rows = lake.read(table).where(delivery.where).join(paths, "source_file", "left_semi")
        rows_written = lake.replace_by_tasks(table, [parsed.rows, TaskRows(unchanged_rows)], delivery.where)
        new_file_rows = files.file_rows(lake.spark, parsed.receipts(), delivery.read_with(settings))
        all_file_rows = new_file_rows.unionByName(file_rows.join(paths, "source_file", "left_semi"))
    lake.replace(files.TABLE, all_file_rows.coalesce(1), delivery.where_files)
    return rows_written, parsed.receipts()


def _contents_of_others(file_rows: Sequence[Row], parsed: Set[str]) -> list[FileContent]:
    return [
        FileContent(
            row.source_file,
            content_of(row.content, _read_with(row)),
            {(counted.day, counted.kind): counted.rows for counted in row["tells"]},
        )
        for row in file_rows
        if row.source_file not in parsed
    ]


def _entry(
    delivery: Delivery,
    read_with: ReadWith,
    contents: Sequence[FileContent],
    started: dt.datetime,
    ended: dt.datetime,
    rows_written: int | None,
) -> Entry:
    """The ledger's entry, summed up from all files of the delivery. `rows_written` is null if nothing was written."""
    event_rows = event_rows_of(contents)
    parsed_rows = sum(counted.rows for counted in event_rows)
    return Entry(
        cluster=delivery.cluster,
        layer="bronze",
        day=delivery.delivered_on,
        table_name=delivery.declaration.table,
        started_at=started,
        ended_at=ended,
        rows_in=parsed_rows,
        rows_accepted=parsed_rows if rows_written is None else rows_written,
        inputs=delivery.listing,
        result=fingerprint_of(contents),
        event_rows=event_rows,
        settings=read_with.settings,
        build_version=read_with.reader_version,
    )
