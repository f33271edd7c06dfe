"""Log files to bronze and to silver, beside Spark copying the same text files to a Delta table of lines.

Half of the bytes are broker logs, half client logs, multiplied from the recordings: one entry in 20 is relevant, each has a
time of its own, and each file has groups of its own. Silver is built as a run builds it: lines without duplicates, rules,
events, configurations, rebalances and sessions. All in one session, after a round with a small landing.

    python -m benchmarks.bench_logs [--megabytes 1000] [--files 8] [--rounds 2]
"""

import argparse
import itertools
import re
import shutil
import tempfile
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks.claims import claim
from benchmarks.sample_logs import BROKER_LOGS, CLIENT_LOGS, RECORDED, mixed_entries, recorded_entries
from benchmarks.timing import Timing, fastest, speeds, timed, total
from expectations import gate
from spark_jobs import landing as landings
from spark_jobs.bronze.ingest import ingest_deliveries, new_deliveries
from spark_jobs.lake import catalog, ledger
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import load
from spark_jobs.silver.pipeline.build import SilverJob, build_silver
from spark_jobs.spark import session

DAY = datetime(2026, 11, 18)
_WARM_UP_MEGABYTES = 16
_GROUPS = sorted({path.name.rstrip("-0123456789") for path in (RECORDED / "kafka-4.3" / "clients").iterdir()})
_GROUP = re.compile("|".join(map(re.escape, sorted(_GROUPS, key=len, reverse=True))))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=1000)
    options.add_argument("--files", type=int, default=8)
    options.add_argument("--rounds", type=int, default=2)
    chosen = options.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-logs-"))
    try:
        _measure(scratch, chosen)
    finally:
        shutil.rmtree(scratch)


def _measure(scratch: Path, chosen: argparse.Namespace) -> None:
    spark = session.start_spark(load(environment={}))
    validator = gate.Validator(None)
    small_landing, landing = scratch / "small-landing", scratch / "landing"
    _deliver(small_landing, _WARM_UP_MEGABYTES, 2)
    size = _deliver(landing, chosen.megabytes, chosen.files)
    print(f"{size / 1e6:,.0f} MB in {chosen.files} files, {spark.sparkContext.defaultParallelism} cores", flush=True)

    # The comparison leaves out compiling code at its first use, and creating empty tables.
    small_lake = catalog.open_to_write(spark, str(scratch / "small-lake"))
    _copy(small_lake, small_landing, scratch / "small-copy")
    _bronze(small_lake, small_landing)
    _silver(small_lake, validator)

    copies: list[Timing] = []
    bronzes: list[Timing] = []
    silvers: list[Timing] = []
    for number in range(1, chosen.rounds + 1):
        lake, copy = catalog.open_to_write(spark, str(scratch / "lake")), scratch / "copy"
        copies.append(timed(f"copy of the lines {number}", size, "bytes", partial(_copy, lake, landing, copy)))
        bronzes.append(timed(f"logs to bronze {number}", size, "bytes", partial(_bronze, lake, landing)))
        silvers.append(timed(f"bronze to silver {number}", size, "bytes", partial(_silver, lake, validator)))
        if number == 1:
            tables = ("bronze.log_lines", "silver.group_events", "silver.rebalances")
            rows = {name: lake.read(name).count() for name in tables}
            print(", ".join(f"{count:,} rows of {name}" for name, count in rows.items()), flush=True)
        shutil.rmtree(copy)
        shutil.rmtree(scratch / "lake")
    copying, bronze, silver = fastest(copies), fastest(bronzes), fastest(silvers)
    print(f"logs to bronze at {speeds(copying, bronze):.2f} x the speed of the copy")
    claim("logs to silver / copying their lines", speeds(copying, total(bronze, silver)), "x", at_least=0.7)


def _copy(lake: Lake, landing: Path, to: Path) -> None:
    lake.spark.read.text(str(landing), recursiveFileLookup=True).write.format("delta").save(str(to))


def _bronze(lake: Lake, landing: Path) -> None:
    settings = load(landing=str(landing), lake=lake.uri, environment={})
    landed = landings.list_landing(settings.landing)
    new = new_deliveries(
        ledger.newest(lake, "bronze"), settings, landed.files, days=None, sources=["group_logs"], force=frozenset()
    )
    ingested = list(ingest_deliveries(lake, settings, new, run=Run.begin(lake.clock), force=frozenset()))
    assert all(file.problem is None and file.receipt.understood for delivery in ingested for file in delivery.parsed), (
        ingested
    )


def _silver(lake: Lake, validator: gate.Validator) -> None:
    settings = load(lake=lake.uri, environment={})
    job = SilverJob(lake, settings, validator, Run.begin(lake.clock))
    built = build_silver(job, until=None, force=frozenset(), report=lambda _: None)
    [events] = [entry for entry in built.entries if entry.table_name == "silver.group_events"]
    assert events.rows_accepted == events.rows_in > 0, events
    assert not built.halted, built.halted


def _deliver(landing: Path, megabytes: int, number: int) -> int:
    """Writes as many broker logs as client logs. Returns their size in bytes."""
    size = 0
    for kind, name, time_at in ((BROKER_LOGS, "broker", 1), (CLIENT_LOGS, "app", 0)):
        relevant, others = recorded_entries(kind)
        for place in range(number // 2):
            with_own_groups = [_GROUP.sub(rf"\g<0>-{name}{place}", entry) for entry in relevant]
            file = landing / "group_logs" / "cluster=c" / f"date={DAY.date()}" / f"{name}-{place}" / "server.log"
            file.parent.mkdir(parents=True)
            with file.open("w") as out:
                entries = mixed_entries(with_own_groups, others, megabytes * 1_000_000 // number)
                for entry, milliseconds in zip(entries, itertools.count(0, 17), strict=False):
                    out.write(f"{entry[:time_at]}{_time(milliseconds)}{entry[time_at + 23 :]}")
            size += file.stat().st_size
    return size


_SECONDS = [f"{DAY + timedelta(seconds=second):%Y-%m-%d %H:%M:%S}" for second in range(86_400)]


def _time(milliseconds: int) -> str:
    """The time of an entry: 17 ms apart, a log of 5,000,000 lines fills a day."""
    return f"{_SECONDS[milliseconds // 1000 % 86_400]},{milliseconds % 1000:03}"


if __name__ == "__main__":
    main()
