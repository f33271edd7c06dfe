"""What the ledger says after an erasure: smaller deliveries and slices, of which none is stale because of it."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from spark_jobs.bronze.file_contents import FileContent, ReadWith, content_of, event_rows_of, fingerprint_of
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.gold.stale_days import day_inputs
from spark_jobs.lake.kept_days import ClosedDays, KeptDays, closed_to_silver
from spark_jobs.lake.ledger import Entry, Ledger
from spark_jobs.lake.table_folder import TableFolder
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_contents import BronzeContents, bronze_contents
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.pipeline.deliveries import DELIVERY, Deliveries, contents_of
from spark_jobs.silver.pipeline.plan import DAY_ENTRY, inputs_fingerprint, is_out_of_date_for_ever
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.upkeep.erase_table import Found, counted_by
from spark_jobs.upkeep.erased_value import ErasedValue

FILES, REJECTED_ROWS = "bronze.files", "quality.rejected_rows"


def lower_counts_of_files(files: TableFolder, found: Mapping[str, Found]) -> TableFolder:
    """Writes into bronze.files how many rows of each file are left."""
    left, fewer = _rows_left(found)
    removed, added = [], []
    for file in files.files:
        rows = files.read(file.path).to_pylist()
        if any(row["source_file"] in fewer for row in rows):
            for row in rows:
                if row["source_file"] in fewer:
                    row["tells"] = left[row["source_file"]]
            removed.append(file)
            added.append(files.write(pa.Table.from_pylist(rows, files.columns_in_files), file.partition, file))
    return files.commit(removed, added, "UPDATE") if removed else files


def _rows_left(found: Mapping[str, Found]) -> tuple[dict[str, list[dict[str, Any]]], set[str]]:
    """The rows that are left of each file by day and kind, and the files that have fewer rows now."""
    left: dict[str, list[dict[str, Any]]] = defaultdict(list)
    fewer: set[str] = set()
    for source in BRONZE_SOURCES.values():
        if source.table in found:
            of_table = found[source.table]
            fewer |= {path for (path,) in counted_by(of_table.erased, "source_file")}
            counted = counted_by(of_table.kept, "source_file", "day", "kind")
            for (path, day, kind), rows in sorted(counted.items()):
                left[path].append({"day": day, "kind": kind, "rows": rows})
    return left, fewer


def bronze_after(bronze: Ledger, files: TableFolder, value: ErasedValue, kept: KeptDays) -> Ledger:
    """The entries of bronze as bronze.files describes the deliveries now, without files whose path contains the value."""
    contents: dict[tuple[str, dt.date, str], list[FileContent]] = defaultdict(list)
    for file in files.files:
        rows = files.read(file.path)
        for row in rows.filter(pa.array(~value.rows(rows))).to_pylist():
            of = file.partition
            contents[of["cluster"], of["delivered_on"], BRONZE_SOURCES[of["source"]].table].append(
                FileContent(
                    row["source_file"],
                    content_of(row["content"], ReadWith(row.get("settings"), row.get("reader_version"))),
                    {(counted["day"], counted["kind"]): counted["rows"] for counted in row["tells"] or ()},
                )
            )
    after = dict(bronze)
    for place, entry in bronze.items():
        if place[1] < kept.since("bronze"):
            continue
        of_delivery = sorted(contents.get(place, []), key=lambda content: content.path)
        event_rows = event_rows_of(of_delivery)
        if event_rows != tuple(entry.event_rows):
            rows = sum(counted.rows for counted in event_rows)
            after[place] = replace(
                entry, event_rows=event_rows, result=fingerprint_of(of_delivery), rows_in=rows, rows_accepted=rows
            )
    return after


def silver_after(
    bronze: Ledger, after: Ledger, silver: Ledger, found: Mapping[str, Found], settings: Settings, kept: KeptDays
) -> Ledger:
    """The entries of silver: fewer rows, and days that were built from what bronze had are as built from what it has now."""
    closed = closed_to_silver(kept, bronze, LAG_KINDS)
    in_use = Deliveries.find(bronze, silver, dt.date.min, frozenset(), settings, kept.since("bronze")).in_use()
    kinds = {kind for table in silver_tables().values() for kind in table.bronze_kinds}
    before, now = (bronze_contents(of, in_use, kinds) for of in (bronze, after))
    changed = dict(silver) | _days_after(silver, before, now, closed)
    verdicts_before, verdicts_now = contents_of(bronze), contents_of(after)
    for (cluster, day, table), entry in silver.items():
        if table == DELIVERY and entry.inputs == verdicts_before.get((cluster, day)):
            changed[cluster, day, table] = replace(entry, inputs=verdicts_now[cluster, day])
    return changed | _fewer_rows(silver, found)


def _days_after(
    silver: Ledger, before: BronzeContents, now: BronzeContents, closed: ClosedDays
) -> dict[tuple[str, dt.date, str], Entry]:
    changed, starts = {}, dict[str, int | None]()
    for (cluster, day, table), entry in sorted(silver.items()):
        if table == DAY_ENTRY:
            start = starts.get(cluster)
            if entry.inputs == inputs_fingerprint(before, cluster, day, start):
                inputs = inputs_fingerprint(now, cluster, day, start)
                changed[cluster, day, table] = replace(entry, inputs=inputs)
            starts[cluster] = None if is_out_of_date_for_ever(entry, closed) else entry.result
    return changed


def _fewer_rows(silver: Ledger, found: Mapping[str, Found]) -> dict[tuple[str, dt.date, str], Entry]:
    """Accepted and rejected rows as the tables hold them; in = accepted + rejected + duplicate as before."""
    rejected = found.get(REJECTED_ROWS)
    rejected_before = _in_quarantine(rejected.kept + rejected.erased) if rejected else Counter()
    rejected_now = _in_quarantine(rejected.kept) if rejected else Counter()
    changed = {}
    for place, entry in silver.items():
        cluster, day, table = place
        fewer = rejected_before[table, cluster, day] - rejected_now[table, cluster, day]
        accepted = entry.rows_accepted
        if table in found and counted_by(found[table].erased, "cluster", "day")[cluster, day]:
            accepted = counted_by(found[table].kept, "cluster", "day")[cluster, day]
        left = min(entry.rows_rejected, rejected_now[table, cluster, day]) if fewer else entry.rows_rejected
        if table not in (DAY_ENTRY, DELIVERY) and (accepted, left) != (entry.rows_accepted, entry.rows_rejected):
            changed[place] = replace(
                entry,
                rows_in=accepted + left + entry.rows_duplicate,
                rows_accepted=accepted,
                rows_rejected=left,
                outcome="erased",
            )
    return changed


def _in_quarantine(counts: Counter[tuple[tuple[str, Any], ...]]) -> Counter[tuple[Any, ...]]:
    waiting = Counter({items: rows for items, rows in counts.items() if dict(items).get("replayed_at") is None})
    return counted_by(waiting, "table_name", "cluster", "day")


def gold_after(bronze: Ledger, bronze_now: Ledger, silver: Ledger, silver_now: Ledger, gold: Ledger) -> Ledger:
    before, now = day_inputs(bronze, silver), day_inputs(bronze_now, silver_now)
    return {
        place: replace(entry, inputs=now[place[:2]]) if entry.inputs == before.get(place[:2]) else entry
        for place, entry in gold.items()
    }
