"""What the gate costs: `python -m benchmarks.bench_gate [--megabytes 365] [--rounds 2]`.

(a) Silver of a busy day (benchmarks/busy_day.py) is built while no rule judges: rows are merged, counted and written. (b) The same day is built as in a run: every rule, Great Expectations' counts, results, samples and Data Docs. Both in one
session, in turns, after a small day was built in both ways. What (b) takes longer is the gate. Then the import of Great
Expectations, in a process of its own: on a small day it is most of what the gate costs, and `lagoon run` does it while Spark starts.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

from benchmarks.bench_offsets import ingest_segments
from benchmarks.busy_day import deliver_busy_day
from benchmarks.claims import claim
from benchmarks.timing import Timing, fastest, timed
from expectations import gate
from expectations.rules import RULES
from spark_jobs.lake import catalog
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import load
from spark_jobs.silver.pipeline import build, write
from spark_jobs.silver.pipeline.broken_rows import sample_broken_rows
from spark_jobs.spark import session

_WARM_MEGABYTES = 48
_AIM = 0.5
_IMPORT = "import great_expectations as gx; gx.get_context(mode='ephemeral')"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=365)
    options.add_argument("--files", type=int, default=8)
    options.add_argument("--rounds", type=int, default=2)
    chosen = options.parse_args()
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _IMPORT], check=True)
    with_import = time.perf_counter() - started
    subprocess.run([sys.executable, "-c", "import pyspark.sql"], check=True)
    only_spark = time.perf_counter() - started - with_import
    print(f"importing Great Expectations: {with_import - only_spark:.1f} s", flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-gate-"))
    try:
        _measure(scratch, chosen)
    finally:
        shutil.rmtree(scratch)


def _measure(scratch: Path, chosen: argparse.Namespace) -> None:
    spark = session.start_spark(load(environment={}))
    judged: list[Timing] = []
    bare: list[Timing] = []
    for number in range(chosen.rounds + 1):
        name, megabytes = ("warm", _WARM_MEGABYTES) if number == 0 else (f"day {number}", chosen.megabytes)
        landing = scratch / f"landing-{number}"
        records = deliver_busy_day(landing, megabytes, chosen.files)
        for way, timings in (("without rules", bare), ("with rules", judged)):
            lake = catalog.open_to_write(spark, str(scratch / f"{way}-{number}"))
            ingest_segments(lake, landing)
            with no_rules() if way == "without rules" else contextlib.nullcontext():
                timing = timed(f"{name}, {way}", records, "rows", partial(_build, lake, scratch / "docs"))
            if number:
                timings.append(timing)
            shutil.rmtree(scratch / f"{way}-{number}")
        shutil.rmtree(landing)
    with_rules, without = fastest(judged), fastest(bare)
    by_clock = with_rules.seconds / without.seconds - 1
    by_cpu = with_rules.cpu_seconds / without.cpu_seconds - 1
    claim("the gate / building the same rows, by the clock", by_clock, "x", at_most=_AIM)
    claim("the gate / building the same rows, by CPU time", by_cpu, "x", at_most=_AIM)


@contextlib.contextmanager
def no_rules() -> Iterator[None]:
    """While it is open, silver judges nothing. Predicates stay for the columns that they name, and are always false."""
    replaced: list[tuple[object, str, object]] = [
        (gate, "RULES", tuple(replace(rule, broken_when=f"false and ({rule.sql})") for rule in RULES)),
        (gate, "rule_results", lambda *_: []),
        (gate.Validator, "verdicts", lambda *_: []),
        (build, "judge_slices", lambda *_: []),
        (build, "judge_sources", lambda *_: []),
        (write, "validate_accepted", lambda *_, **__: []),
    ]
    with contextlib.ExitStack() as patches:
        for module, name, value in replaced:
            patches.enter_context(mock.patch.object(module, name, value))
        yield


def _build(lake: Lake, docs: Path) -> None:
    docs.mkdir(exist_ok=True)
    validator = gate.Validator(str(docs))
    settings = load(lake=lake.uri, environment={})
    job = build.SilverJob(lake, settings, validator, Run.begin(lake.clock))
    built = build.build_silver(job, until=None, force=frozenset(), report=lambda _: None)
    assert built.entries
    assert not built.halted, built.halted
    if built.results:
        validator.write_docs(built.results, sample_broken_rows(lake, built.results))


if __name__ == "__main__":
    main()
