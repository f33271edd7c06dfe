"""Tries a rule on days that were built: what it would have found. Nothing is written."""

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, Row

from expectations import gate
from expectations.rule import Rule
from expectations.rules import RULES
from spark_jobs.errors import UsageError
from spark_jobs.gold.judge_arrivals import TABLE as ARRIVALS
from spark_jobs.lake import ledger
from spark_jobs.lake.sql_literals import date_literal
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.open_inputs import open_built_days
from spark_jobs.silver.pipeline.plan import DAY_ENTRY
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.silver_table import SilverTable

TRIAL_COLUMNS = ("rule", "table", "cluster", "day", "checked", "broken", "fingerprint")
# As many as silver builds at once.
_DAYS_AT_ONCE = 7


def rule_on_trial(name: str, broken_when: str | None, table: str | None) -> list[Rule]:
    """The rules of that name, with another predicate if one is given; or a new rule."""
    known = [rule for rule in RULES if rule.name == name and table in (None, rule.table)]
    if any(rule.table == "delivery" for rule in known):
        raise UsageError(f"{name} judges whole deliveries", "Try a rule of a table")
    if broken_when is None:
        if not known:
            raise UsageError(
                f"there is no rule {name!r}", "Give its --table and --broken-when, or see `lagoon rules list`"
            )
        return known
    if known:
        return [replace(rule, broken_when=broken_when) for rule in known]
    if table not in _judged_tables():
        raise UsageError(
            f"{name} is a new rule, and there is no table {table!r} to try it on" if table else f"{name} is a new rule",
            f"Name its --table: {', '.join(_judged_tables())}",
        )
    return [Rule(name, str(table), broken_when, "", "", "", "warn", "")]


def try_on_days(
    lake: Lake, settings: Settings, rules: Sequence[Rule], first: dt.date, last: dt.date
) -> Iterator[tuple[object, ...]]:
    """One row per rule, table, cluster and day."""
    if any(rule.table == ARRIVALS for rule in rules):
        yield from _try_on_arrivals(lake, rules, first, last)
        return
    built = [(c, d) for c, d, table in ledger.newest(lake, "silver") if table == DAY_ENTRY and first <= d <= last]
    if not built:
        raise UsageError(f"the lake has no day from {first} to {last}", "Name event days that were built")
    for cluster, pairs in itertools.groupby(sorted(built), key=lambda pair: pair[0]):
        days = [day for _, day in pairs]
        for start in range(0, len(days), _DAYS_AT_ONCE):
            block = days[start : start + _DAYS_AT_ONCE]
            with open_built_days(lake, settings, Slices({cluster: block})) as inputs:
                for rule in rules:
                    counts = _counts(inputs, rule)
                    for day in block:
                        yield rule.name, rule.table, cluster, day, *counts.get(day, (0, 0)), rule.fingerprint


def _try_on_arrivals(lake: Lake, rules: Sequence[Rule], first: dt.date, last: dt.date) -> Iterator[tuple[object, ...]]:
    rows = lake.read(ARRIVALS).where(f"day between {date_literal(first)} and {date_literal(last)}")
    for rule in rules:
        for row in _counted(rows, rule, "cluster", "day"):
            yield rule.name, rule.table, row.cluster, row.day, *_numbers(row, rule), rule.fingerprint


def _counts(inputs: DayInputs, rule: Rule) -> dict[dt.date, tuple[int, int]]:
    """(checked, broken) by day. A rule that warns judges only rows that other rules accept."""
    rows = _rows(inputs, silver_tables()[rule.table], rule)
    return {row.day: _numbers(row, rule) for row in _counted(rows, rule, "day")}


def _counted(rows: DataFrame, rule: Rule, *columns: str) -> list[Row]:
    try:
        judged = gate.with_verdicts(rows, [replace(rule, action="reject")])
        return judged.groupBy(*columns).agg(*gate.rule_counts([rule])).orderBy(*columns).collect()
    except (AnalysisException, ParseException) as error:
        raise UsageError(
            f"{rule.name} can't be tried: {str(error).splitlines()[0]}", f"Correct --broken-when: SQL over {rule.table}"
        ) from error


def _numbers(row: Row, rule: Rule) -> tuple[int, int]:
    return row[f"checked__{rule.name}"], row[f"broken__{rule.name}"]


def _rows(inputs: DayInputs, table: SilverTable, rule: Rule) -> DataFrame:
    if rule.on == "accepted":
        rows = inputs.lake.read(table.name).where(inputs.slices.where())
        return table.judged_with(inputs, rows) if table.judged_with is not None else rows
    rows = inputs.judged(table.name) if rule.action != "warn" else inputs.valid(table.name)
    return rows.drop("rules", *(name for name in rows.columns if name.startswith(("broken__", "valid__"))))


def _judged_tables() -> list[str]:
    return [ARRIVALS, *sorted(name for name, table in silver_tables().items() if table.parsed is not None)]
