"""Log files -> bronze -> silver, beside Spark copying the same text files to a Delta table of lines.

Half of the bytes are broker logs, half client logs, multiplied from the recordings: one entry in 20 is relevant, each has a
time of its own, and each file groups of its own. Silver is made as a run makes it: each line once, judged, events,
configurations, rebalances and sessions. All in one session, after both were done once on a small landing.

    python -m benchmarks.bench_logs [--megabytes 1000] [--files 8] [--rounds 2]
"""

import argparse
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks.read_logs import RECORDED, SHARE, entries
from benchmarks.took import Took, least, ratio, timed
from expectations import gate
from spark_jobs import landing as landings
from spark_jobs.bronze.ingest import ingest, new_deliveries
from spark_jobs.lake import catalog
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import load
from spark_jobs.silver.pipeline.build import SilverJob, build_silver
from spark_jobs.spark import session

DAY = datetime(2026, 11, 18)
_WARM_MEGABYTES = 16
_BROKERS = [f"{recording}/broker/server.log.zst" for recording in ("kafka-3.9", "kafka-4.3")]
_APPS = ("archive-verifier-1", "inventory-sync-1", "loyalty-points", "shipping-eta-1", "telemetry-rollup")
_CLIENTS = [f"kafka-4.3/clients/{app}/app.log.zst" for app in (*_APPS, "warehouse-sync", "rates-cache-1")]
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
    judge = gate.Validator(None)
    warm, landing = scratch / "warm", scratch / "landing"
    _deliver(warm, _WARM_MEGABYTES, 2)
    size = _deliver(landing, chosen.megabytes, chosen.files)
    print(f"{size / 1e6:,.0f} MB in {chosen.files} files, {spark.sparkContext.defaultParallelism} cores", flush=True)

    # Code that is compiled at first use is no part of the comparison, and neither is making empty tables.
    small = catalog.open_to_write(spark, str(scratch / "warm-lake"))
    _copy(small, warm, scratch / "warm-copy")
    _bronze(small, warm)
    _silver(small, judge)

    copies: list[Took] = []
    bronzes: list[Took] = []
    silvers: list[Took] = []
    for turn in range(1, chosen.rounds + 1):
        lake, copy = catalog.open_to_write(spark, str(scratch / "lake")), scratch / "copy"
        copies.append(timed(f"copy of the lines {turn}", size, "bytes", partial(_copy, lake, landing, copy)))
        bronzes.append(timed(f"logs to bronze {turn}", size, "bytes", partial(_bronze, lake, landing)))
        silvers.append(timed(f"bronze to silver {turn}", size, "bytes", partial(_silver, lake, judge)))
        if turn == 1:
            rows = {name: lake.read(name).count() for name in ("bronze.log_lines", "silver.group_events", "silver.rebalances")}  # fmt: skip
            print(", ".join(f"{count:,} rows of {name}" for name, count in rows.items()), flush=True)
        shutil.rmtree(copy)
        shutil.rmtree(scratch / "lake")
    copied, bronze, silver = least(copies), least(bronzes), least(silvers)
    print(f"logs to bronze at {ratio(copied, bronze)} the speed of the copy")
    whole = Took(bronze.seconds + silver.seconds, bronze.cpu + silver.cpu)
    print(f"logs to silver at {ratio(copied, whole)} the speed of the copy (at least 0.4)")


def _copy(lake: Lake, landing: Path, to: Path) -> None:
    lake.spark.read.text(str(landing), recursiveFileLookup=True).write.format("delta").save(str(to))


def _bronze(lake: Lake, landing: Path) -> None:
    settings = load(landing=str(landing), lake=lake.uri, environment={})
    landed = landings.list_landing(settings.landing)
    new = new_deliveries(lake, landed.files, days=None, sources=["group_logs"], force=frozenset())
    ingested = list(ingest(lake, settings, new, run=Run.begin(), force=frozenset()))
    assert all(file.problem is None and file.receipt.understood for delivery in ingested for file in delivery.parsed), (
        ingested
    )


def _silver(lake: Lake, judge: gate.Validator) -> None:
    settings = load(lake=lake.uri, environment={})
    work = SilverJob(lake, settings, judge, Run.begin())
    made = build_silver(work, until=None, force=frozenset(), report=lambda _: None)
    [events] = [entry for entry in made.entries if entry.table_name == "silver.group_events"]
    assert events.rows_accepted == events.rows_in > 0, events
    assert not made.halted, made.halted


def _deliver(landing: Path, megabytes: int, number: int) -> int:
    """As many broker logs as client logs."""
    size = 0
    kinds = (("broker", _BROKERS, r"\[\d{4}-", 1), ("app", _CLIENTS, r"\d{4}-", 0))
    for name, recorded, head, indent in kinds:
        relevant, others = entries(recorded, head)
        for place in range(number // 2):
            own = [_GROUP.sub(rf"\g<0>-{name}{place}", entry) for entry in relevant]
            file = landing / "group_logs" / "cluster=c" / f"date={DAY.date()}" / f"{name}-{place}" / "server.log"
            file.parent.mkdir(parents=True)
            with file.open("w") as out:
                for entry in _mixed(own, others, megabytes * 1_000_000 // number):
                    out.write(f"{entry[:indent]}{_clock()}{entry[indent + 23 :]}")
            size += file.stat().st_size
            _AT.clear()
    return size


def _mixed(relevant: Sequence[str], others: Sequence[str], size: int) -> Iterator[str]:
    written = count = 0
    while written < size:
        for entry in others:
            one = relevant[count // SHARE % len(relevant)] if count % SHARE == 0 else entry
            written += len(one)
            count += 1
            yield one


_AT: list[int] = []
_SECONDS = [f"{DAY + timedelta(seconds=second):%Y-%m-%d %H:%M:%S}" for second in range(86_400)]


def _clock() -> str:
    """The next time: a log of 5,000,000 lines fills a day."""
    at = _AT[0] if _AT else 0
    _AT[:] = [at + 17]
    return f"{_SECONDS[at // 1000 % 86_400]},{at % 1000:03}"


if __name__ == "__main__":
    main()
