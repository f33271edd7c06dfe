"""Validates the parsed rows of some event days: how many are accepted, rejected and duplicate, and what each rule found."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from expectations import gate
from expectations.rule import Rule
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.row_counts import RowCounts
from spark_jobs.silver.silver_table import SilverTable


@dataclass(frozen=True)
class Validation:
    counts: RowCounts
    results: list[gate.RuleResult]


def validate(inputs: DayInputs, tables: Mapping[str, SilverTable], validator: gate.Validator) -> Validation:
    """Judges the parsed rows of every table that has some. Great Expectations counts the broken rows once more."""
    parsed = [table for table in tables.values() if table.parsed is not None]
    pairs = inputs.slices.pairs()
    counts: dict[str, list[Row]] = {}
    results: dict[str, list[gate.RuleResult]] = {}
    cached: list[DataFrame] = []
    # On a small day planning a query takes longer than running it, and one core. Great Expectations counts a table only
    # when the split has counted it: a task that waits for another's cached rows would hold a core.
    with ThreadPoolExecutor(2) as pool:
        verdicts = {
            table.name: _verdicts(inputs, table, cached) for table in parsed if inputs.bronze.has(table.bronze_kinds)
        }
        counting = {pool.submit(_count, inputs, tables[name], rows): name for name, rows in verdicts.items()}
        for done in as_completed(counting):
            name = counting[done]
            rules, counts[name] = inputs.rules(name), done.result()
            found = validator.verdicts(f"{name}, parsed", verdicts[name], rules)
            results[name] = gate.rule_results(name, rules, pairs, counts[name], found)
    for rows in cached:
        rows.unpersist()
    without_rows = {
        table.name: gate.rule_results(table.name, inputs.rules(table.name), pairs, [], []) for table in parsed
    }
    all_results = [result for name in without_rows for result in results.get(name, without_rows[name])]
    return Validation(RowCounts(counts), all_results)


def validate_accepted(
    inputs: DayInputs, table: SilverTable, validator: gate.Validator, *, is_written: bool
) -> list[gate.RuleResult]:
    """Judges rows of the finished table by the rules that look back at the accepted row before; these only warn."""
    rules, pairs = inputs.rules(table.name, on="accepted"), inputs.slices.pairs()
    if not rules or not is_written:
        return gate.rule_results(table.name, rules, pairs, [], [])
    rows = inputs.lake.read(table.name).where(inputs.slices.where())
    if table.judged_with is not None:
        rows = table.judged_with(inputs, rows)
    packed = _packed(gate.with_verdicts(rows, rules), rules, "cluster", "day")
    rows = gate.unpack_verdicts(packed, rules)
    counted = rows.groupBy("cluster", "day").agg(*gate.rule_counts(rules)).collect()
    verdicts = validator.verdicts(f"{table.name}, accepted", rows, rules)
    packed.unpersist()
    return gate.rule_results(table.name, rules, pairs, counted, verdicts)


def _verdicts(inputs: DayInputs, table: SilverTable, cached: list[DataFrame]) -> DataFrame:
    """The verdicts on each parsed row and what is counted of it, cached where Great Expectations will count too."""
    rules, counted = inputs.rules(table.name), ("slice", "delivered_on", "copies", *table.tally_columns)
    rows = inputs.judged(table.name, "copies", *table.tally_columns)
    if not rules:
        return rows
    packed = _packed(rows, rules, *counted)
    cached.append(packed)
    return gate.unpack_verdicts(packed, rules)


def _packed(rows: DataFrame, rules: Sequence[Rule], *columns: str) -> DataFrame:
    """The verdicts on rows, beside these columns, cached: Great Expectations counts what the split counted."""
    return gate.pack_verdicts(rows, rules, *columns).persist(StorageLevel.MEMORY_AND_DISK)


def _count(inputs: DayInputs, table: SilverTable, rows: DataFrame) -> list[Row]:
    aggregates = [
        *gate.row_counts(table.held_when),
        *gate.rule_counts(inputs.rules(table.name)),
        *(F.expr(sql).alias(name) for name, sql in table.tallies.items()),
    ]
    counted = [row.asDict() for row in rows.groupBy("slice", "delivered_on").agg(*aggregates).collect()]
    pairs = inputs.slices.pairs()
    return [Row(**row, **dict(zip(("cluster", "day"), pairs[row["slice"]], strict=True))) for row in counted]
