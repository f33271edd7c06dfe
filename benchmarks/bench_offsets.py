"""Segments -> bronze -> silver, compared with Spark copying the same decoded rows: `python -m benchmarks.bench_offsets`.

(a) Spark copies the decoded rows from Parquet, in as many files as there are cores, to a Delta table with the same columns,
properties and write settings; (b) segments to bronze.offset_records as in a run; (c) bronze to silver as in a run, with
validation. All in one session, after each was done once on a small landing. Then the memory of a task that reads a segment
of 1 GiB.

    python -m benchmarks.bench_offsets [--megabytes 1000] [--files 8] [--rounds 2]
"""

import argparse
import multiprocessing
import resource
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.busy_day import deliver_busy_day
from benchmarks.claims import claim
from benchmarks.sample_records import write_large_segment
from benchmarks.timing import fastest, speeds, timed, total
from expectations import gate
from spark_jobs import landing as landings
from spark_jobs.bronze.ingest import ingest_deliveries, new_deliveries
from spark_jobs.bronze.parse import parse_file
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.lake import catalog, ledger
from spark_jobs.lake.file_writer import write_files
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.table_files import TableFiles, files_of_table
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import load
from spark_jobs.silver.pipeline.build import SilverJob, build_silver
from spark_jobs.spark import session
from spark_jobs.store.store_access import DEFAULT_ACCESS

TABLE = "bronze.offset_records"
# Enough rows for silver to run as on a large day.
_WARM_MEGABYTES = 48


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=1000)
    options.add_argument("--files", type=int, default=8)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--no-silver", action="store_true")
    options.add_argument("--no-memory", action="store_true")
    chosen = options.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-offsets-"))
    try:
        _measure(scratch, chosen)
        if not chosen.no_memory:
            most = _memory_of_a_task(scratch)
            claim("memory of a task that reads 1 GiB", most, "MiB", at_most=512)
    finally:
        shutil.rmtree(scratch)


def _measure(scratch: Path, chosen: argparse.Namespace) -> None:
    spark = session.start_spark(load(environment={}))
    validator = gate.Validator(None)
    warm, landing = scratch / "warm", scratch / "landing"
    deliver_busy_day(warm, _WARM_MEGABYTES, chosen.files)
    records = deliver_busy_day(landing, chosen.megabytes, chosen.files)
    cores = spark.sparkContext.defaultParallelism
    print(f"{records:,} records in {chosen.files} segments of {chosen.megabytes} MB, {cores} cores")

    # Compiling code at its first use and creating empty tables are not part of the comparison.
    small = catalog.open_to_write(spark, str(scratch / "warm-lake"))
    ingest_segments(small, warm)
    _copy(small, scratch / "warm-copy")()
    if not chosen.no_silver:
        to_silver(small, validator)

    copies, bronzes, silvers = [], [], []
    for turn in range(chosen.rounds):
        lake = catalog.open_to_write(spark, str(scratch / f"lake-{turn}"))
        copy = scratch / f"copy-{turn}"
        bronzes.append(
            timed(f"segments to bronze {turn + 1}", records, "rows", partial(ingest_segments, lake, landing))
        )
        copies.append(timed(f"copy {turn + 1}", records, "rows", _copy(lake, copy)))
        shutil.rmtree(copy)
        if not chosen.no_silver:
            silvers.append(timed(f"bronze to silver {turn + 1}", records, "rows", partial(to_silver, lake, validator)))
    copying, to_bronze = fastest(copies), fastest(bronzes)
    claim("segments to bronze / copying the rows", speeds(copying, to_bronze), "x", at_least=0.8)
    if not chosen.no_silver:
        both_steps = total(to_bronze, fastest(silvers))
        claim("segments to silver / copying the rows", speeds(copying, both_steps), "x", at_least=0.5)


def ingest_segments(lake: Lake, landing: Path) -> None:
    settings = load(landing=str(landing), lake=lake.uri, environment={})
    landed = landings.list_landing(settings.landing)
    new = new_deliveries(
        ledger.newest(lake, "bronze"), settings, landed.files, days=None, sources=["offset_dumps"], force=frozenset()
    )
    ingested = list(ingest_deliveries(lake, settings, new, run=Run.begin(lake.clock), force=frozenset()))
    assert all(file.problem is None for delivery in ingested for file in delivery.parsed), ingested


def to_silver(lake: Lake, validator: gate.Validator) -> None:
    settings = load(lake=lake.uri, environment={})
    job = SilverJob(lake, settings, validator, Run.begin(lake.clock))
    built = build_silver(job, until=None, force=frozenset(), report=lambda _: None)
    [commits] = [entry for entry in built.entries if entry.table_name == "silver.offset_commits"]
    assert commits.rows_accepted == commits.rows_in > 0, commits
    assert not built.halted, built.halted


def _copy(lake: Lake, to: Path) -> Callable[[], None]:
    """Writes the decoded rows to Parquet and creates an empty table; the returned function copies the rows."""
    parquet = str(to.with_suffix(".parquet"))
    rows = lake.read(TABLE)
    [(cluster, day)] = rows.select("cluster", "delivered_on").distinct().collect()
    rows.coalesce(lake.spark.sparkContext.defaultParallelism).write.parquet(parquet)
    where = f"cluster = '{cluster}' and delivered_on = date'{day}'"
    other = catalog.open_to_write(lake.spark, str(to))
    copied = lake.spark.read.parquet(parquet).write.format("delta").mode("overwrite").option("replaceWhere", where)
    return lambda: copied.save(other.path(TABLE))


def _memory_of_a_task(scratch: Path) -> int:
    landing = scratch / "gibibyte"
    place = landing / "offset_dumps" / "cluster=c" / "date=2026-01-06" / "b" / "__consumer_offsets-0" / f"{0:020}.log"
    place.parent.mkdir(parents=True)
    write_large_segment(place, 1 << 30, 10)
    with multiprocessing.get_context("spawn").Pool(1) as alone:
        return alone.apply(
            _read_segment, (str(landing), files_of_table(TABLE, str(scratch / "written"), DEFAULT_ACCESS))
        )


def _read_segment(landing: str, layout: TableFiles) -> int:
    settings = load(landing=landing, environment={})
    [file] = landings.list_landing(landing).files
    rows = parse_file(settings, file, BRONZE_SOURCES["offset_dumps"], lambda _: None)
    list(write_files(rows, layout))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
