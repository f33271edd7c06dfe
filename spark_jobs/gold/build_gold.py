"""Builds gold: one run of dbt over the event days whose inputs changed, all clusters of a day together."""

import datetime as dt
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from spark_jobs.gold.dbt_runner import PROJECT, DbtRunner
from spark_jobs.gold.descriptions import correct_descriptions
from spark_jobs.gold.models_fingerprint import models_fingerprint
from spark_jobs.gold.models_without_rows import models_without_rows
from spark_jobs.gold.node_lines import NodeLines
from spark_jobs.gold.stale_days import day_inputs, deliveries_of, halted_deliveries
from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import closed_to_silver, days_closed_to_gold, read_kept_days
from spark_jobs.lake.ledger import ClusterDay, Entry, Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.settings_file import GOLD
from spark_jobs.settings_fingerprint import settings_fingerprint
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS

# The table name under which the ledger keeps a day of gold: all its tables are built together.
TABLE = "gold"


@dataclass(frozen=True)
class BuiltGold:
    """The event days that were built, and the tests that failed."""

    days: tuple[dt.date, ...]
    failed_tests: tuple[str, ...]


def build_gold(
    lake: Lake,
    settings: Settings,
    run: Run,
    *,
    force: Set[ClusterDay],
    report: Callable[[str], None],
    doing: Callable[[str], None] = lambda _: None,
) -> BuiltGold:
    """Builds the stale event days, and the days of `force` in any case. `report` prints what was done, `doing` shows what
    is being done."""
    bronze, silver = ledger.newest(lake, "bronze"), ledger.newest(lake, "silver")
    kept, inputs = read_kept_days(lake), day_inputs(bronze, silver)
    closed = days_closed_to_gold(kept, closed_to_silver(kept, bronze, LAG_KINDS), inputs)
    inputs = {pair: of_day for pair, of_day in inputs.items() if pair[1] not in closed}
    built = {(cluster, day): entry for (cluster, day, _), entry in ledger.newest(lake, "gold").items()}
    built_with = models_fingerprint(), settings_fingerprint(settings, [GOLD], settings.clusters)
    of_open_days = (entry for pair, entry in built.items() if pair in inputs)
    rebuild_all = any((e.result, e.settings) != built_with for e in of_open_days) or not _has_all_tables(lake)
    stale = {
        pair
        for pair, inputs_now in inputs.items()
        if rebuild_all or pair in force or pair not in built or built[pair].inputs != inputs_now
    }
    if not stale:
        return BuiltGold((), ())
    days = sorted({day for _, day in stale})
    report(_date_range(days))
    started = lake.clock.now()
    doing("reading the models")
    models_run = NodeLines("models", doing, report)
    dbt = DbtRunner(lake, settings)
    dbt.register_tables()
    deliveries, halted = deliveries_of(bronze, days), halted_deliveries(silver)
    pairs = {pair for pair in inputs if pair[1] in set(days)}
    with dbt.environment(days, deliveries=deliveries, halted=halted, keeps_old_days=bool(closed)):
        without_rows = [] if rebuild_all else models_without_rows(dbt.manifest, lake, pairs)
        excluded = ["--exclude", *without_rows] if without_rows else []
        dbt.results("run", *(["--full-refresh"] if rebuild_all else []), *excluded, watch=models_run.watch)
        if rebuild_all:
            correct_descriptions(lake)
        failed_tests = dbt.failed_tests(*excluded, watch=NodeLines("tests", doing).watch)
    times = (started, lake.clock.now())
    entries = [_entry(pair, times, inputs[pair], built_with, failed=bool(failed_tests)) for pair in sorted(pairs)]
    ledger.write(lake, run, entries)
    return BuiltGold(tuple(days), failed_tests)


def _has_all_tables(lake: Lake) -> bool:
    """Whether each model has its table: a user may have deleted some to have them rebuilt."""
    models = {path.stem for path in (PROJECT / "models" / "gold").glob("*.sql")}
    return models <= {row.tableName for row in lake.spark.sql("show tables in gold").collect()}


def _entry(
    pair: ClusterDay,
    times: tuple[dt.datetime, dt.datetime],
    inputs: int,
    built_with: tuple[int, int | None],
    *,
    failed: bool,
) -> Entry:
    """`times` are begin and end, `built_with` the models and the settings. A day with failed tests stays stale, so that each run reports the failure until it is solved."""
    return Entry(
        *(pair[0], "gold", pair[1], TABLE, *times),
        outcome="failed" if failed else "done",
        inputs=None if failed else inputs,
        result=built_with[0],
        settings=built_with[1],
    )


def _date_range(days: Sequence[dt.date]) -> str:
    return str(days[0]) if len(days) == 1 else f"{days[0]} to {days[-1]}, {len(days)} days"
