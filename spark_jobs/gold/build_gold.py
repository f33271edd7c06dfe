"""Builds gold: one run of dbt over the event days whose inputs changed, all clusters of a day together."""

import datetime as dt
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from spark_jobs.gold.dbt_runner import MODEL_SETTINGS, PROJECT, DbtRunner
from spark_jobs.gold.models_fingerprint import models_fingerprint
from spark_jobs.gold.stale_days import day_inputs, deliveries_of, halted_deliveries
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger, Run, fingerprint
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings

# The table name under which the ledger keeps a day of gold: all its tables are built together.
TABLE = "gold"


@dataclass(frozen=True)
class BuiltGold:
    """The event days that were built, and the tests that failed."""

    days: tuple[dt.date, ...]
    failed_tests: tuple[str, ...]


def build_gold(
    lake: Lake, settings: Settings, run: Run, *, force: Set[ClusterDay], report: Callable[[str], None]
) -> BuiltGold:
    """Builds the stale event days, and the days of `force` in any case. `report` prints progress."""
    bronze, silver = ledger.newest(lake, "bronze"), ledger.newest(lake, "silver")
    inputs = day_inputs(bronze, silver)
    built = {(cluster, day): entry for (cluster, day, _), entry in ledger.newest(lake, "gold").items()}
    models = fingerprint([models_fingerprint(), *(settings.text(name) for name in MODEL_SETTINGS)])
    rebuild_all = any(entry.result != models for entry in built.values()) or not _has_all_tables(lake)
    stale = {
        pair
        for pair, inputs_now in inputs.items()
        if rebuild_all or pair in force or pair not in built or built[pair].inputs != inputs_now
    }
    if not stale:
        return BuiltGold((), ())
    days = sorted({day for _, day in stale})
    report(_date_range(days))
    started = ledger.now()
    failed_tests = _run_dbt(DbtRunner(lake, settings), bronze, silver, days, full_refresh=rebuild_all, report=report)
    entries = [
        _entry(pair, started, inputs[pair], models, failed=bool(failed_tests))
        for pair in sorted(inputs)
        if pair[1] in set(days)
    ]
    ledger.write(lake, run, entries)
    return BuiltGold(tuple(days), failed_tests)


def _run_dbt(
    dbt: DbtRunner,
    bronze: Ledger,
    silver: Ledger,
    days: Sequence[dt.date],
    *,
    full_refresh: bool,
    report: Callable[[str], None],
) -> tuple[str, ...]:
    """Runs models and tests. Returns the tests that failed."""
    dbt.register_tables()
    deliveries, halted = deliveries_of(bronze, days), halted_deliveries(silver)
    with dbt.environment(days, deliveries=deliveries, halted=halted):
        for result in dbt.results("run", *(["--full-refresh"] if full_refresh else [])):
            report(f"{result.node.name}: {result.execution_time:.1f} s")
        return dbt.failed_tests()


def _has_all_tables(lake: Lake) -> bool:
    """Whether each model has its table: a user may have deleted some to have them rebuilt."""
    models = {path.stem for path in (PROJECT / "models" / "gold").glob("*.sql")}
    return models <= {row.tableName for row in lake.spark.sql("show tables in gold").collect()}


def _entry(pair: ClusterDay, started: dt.datetime, inputs: int, models: int, *, failed: bool) -> Entry:
    """A day with failed tests stays stale, so that each run reports the failure until it is solved."""
    return Entry(
        *(pair[0], "gold", pair[1], TABLE, started, ledger.now()),
        outcome="failed" if failed else "done",
        inputs=None if failed else inputs,
        result=models,
    )


def _date_range(days: Sequence[dt.date]) -> str:
    return str(days[0]) if len(days) == 1 else f"{days[0]} to {days[-1]}, {len(days)} days"
