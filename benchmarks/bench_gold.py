"""How long gold takes compared with silver for one large day: `python -m benchmarks.bench_gold [--megabytes 730] [--files 8]`.

A busy day (benchmarks/busy_day.py: commits around the clock, some in transactions, and rebalances) is ingested to bronze.
Then silver is built from it, with validation, and gold with all models and data tests. All steps run in one session, after
they ran once for a small day. benchmarks/bench_history.py measures what a day costs when 30 other days are in the lake.
"""

import argparse
import functools
import shutil
import tempfile
from pathlib import Path

from benchmarks.bench_offsets import ingest_segments, to_silver
from benchmarks.busy_day import deliver_busy_day
from benchmarks.claims import claim
from benchmarks.timing import timed
from expectations import gate
from spark_jobs.gold.build_gold import build_gold
from spark_jobs.lake import catalog
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import load
from spark_jobs.spark import session

_WARM_MEGABYTES = 48
_AIM = 1.2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=730)
    options.add_argument("--files", type=int, default=8)
    chosen = options.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-gold-"))
    try:
        spark = session.start_spark(load(environment={}))
        validator = gate.Validator(None)
        for name, megabytes in (("warm", _WARM_MEGABYTES), ("large", chosen.megabytes)):
            landing = scratch / name
            records = deliver_busy_day(landing, megabytes, chosen.files)
            lake = catalog.open_to_write(spark, str(scratch / f"{name}-lake"))
            ingest_segments(lake, landing)
            print(f"{name} day: {records:,} records, {megabytes} MB", flush=True)
            silver = timed("silver", records, "rows", functools.partial(to_silver, lake, validator))
            gold = timed("gold", records, "rows", functools.partial(_gold, lake))
    finally:
        shutil.rmtree(scratch)
    claim(f"gold / silver of {records:,} commits", gold.seconds / silver.seconds, "x", at_most=_AIM)


def _gold(lake: Lake) -> None:
    settings = load(lake=lake.uri, environment={})
    built = build_gold(
        lake, settings, Run.begin(lake.clock), force=set(), report=lambda line: print(f"  {line}", flush=True)
    )
    assert built.days
    assert not built.failed_tests, built.failed_tests


if __name__ == "__main__":
    main()
