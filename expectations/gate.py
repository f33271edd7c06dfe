"""The gate: rules split rows into valid and rejected ones, and Great Expectations checks and records the counts.

This file and data_docs.py are the ones that know Great Expectations.
"""

import datetime as dt
import functools
import logging
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from expectations.data_docs import Samples, expectation, write_data_docs
from expectations.rule import Action, JudgedRows, Rule
from expectations.rule import RuleResult as RuleResult
from expectations.rules import RULES

if TYPE_CHECKING:
    from great_expectations.core import ExpectationValidationResult

_BROKEN = "broken__"
# Whether no rule rejects the row. Most queries need only this and not which rules do.
_VALID = "valid__"
# All verdicts on a row in one number.
_PACKED = "verdicts__"


@dataclass(frozen=True)
class Verdict:
    """How often a rule is broken, as Great Expectations counts it."""

    rule: Rule
    broken: int
    passed: bool


def rules_for(table: str, actions: Mapping[str, str], *, on: JudgedRows) -> list[Rule]:
    """The rules of a table. `actions` are the actions that the settings change, by rule."""
    return [
        replace(rule, action=cast(Action, actions.get(rule.name, rule.action)))
        for rule in RULES
        if rule.table == table and rule.on == on
    ]


def with_verdicts(rows: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """Adds a column per rule (true: the row breaks it, null: it can't be judged) and the array `rules` with the names of
    the rules that reject the row. A rule that only warns does not judge rejected rows."""
    # All columns in one call: Spark analyses the whole plan again for each call.
    verdicts = {_BROKEN + rule.name: F.expr(rule.broken_when) for rule in rules}
    # Null is not broken, and must count as valid when the rows are split.
    rejecting = {
        rule.name: F.coalesce(verdicts[_BROKEN + rule.name], F.lit(False)) for rule in rules if rule.action == "reject"
    }
    is_rejected = functools.reduce(operator.or_, rejecting.values(), F.lit(False))
    for rule in rules:
        if rule.action == "warn":
            verdicts[_BROKEN + rule.name] = F.when(~is_rejected, verdicts[_BROKEN + rule.name])
    names = [F.when(broken, F.lit(name)) for name, broken in rejecting.items()]
    broken_rules = F.array_compact(F.array(*names)) if names else F.array().cast("array<string>")
    return rows.withColumns({**verdicts, "rules": broken_rules, _VALID: ~is_rejected})


def pack_verdicts(rows: DataFrame, rules: Sequence[Rule], *columns: str) -> DataFrame:
    """The verdicts of each row as one number, which is cheap to cache, beside these columns of the row."""
    packed = F.col(_VALID).cast("bigint")
    for place, rule in enumerate(rules, 1):
        # Two bits per rule: 0 can't be judged, 1 obeys, 2 breaks it.
        verdict = F.coalesce(F.col(_BROKEN + rule.name).cast("bigint") + 1, F.lit(0))
        packed = packed + verdict * F.lit(1 << 2 * place)
    return rows.select(*columns, packed.alias(_PACKED))


def unpack_verdicts(rows: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """The verdict columns of rows that `pack_verdicts` returned."""
    columns = {_VALID: F.col(_PACKED).bitwiseAND(F.lit(1)) == 1}
    for place, rule in enumerate(rules, 1):
        verdict = F.shiftright(_PACKED, 2 * place).bitwiseAND(F.lit(3))
        columns[_BROKEN + rule.name] = F.when(verdict > 0, verdict == 2)
    return rows.withColumns(columns)


def valid(rows: DataFrame) -> DataFrame:
    return rows.where(_VALID)


def rejected(rows: DataFrame) -> DataFrame:
    return rows.where(f"not {_VALID}")


def row_counts(held_when: str) -> list[Column]:
    """Aggregates: how many rows are accepted, rejected and duplicate. `copies` is how many equal rows each stands for. A
    valid row that the table does not hold repeats one that it holds."""
    is_held = F.expr(held_when)
    return [
        F.count_if(F.col(_VALID) & is_held).alias("accepted"),
        F.count_if(~F.col(_VALID)).alias("rejected"),
        (F.sum(F.col("copies") - 1) + F.count_if(F.col(_VALID) & ~is_held)).alias("duplicate"),
    ]


def rule_counts(rules: Sequence[Rule]) -> list[Column]:
    """Aggregates: how many rows each rule could judge, and how many break it."""
    return [
        aggregate
        for rule in rules
        for aggregate in (
            F.count(_BROKEN + rule.name).alias(f"checked__{rule.name}"),
            F.count_if(F.col(_BROKEN + rule.name)).alias(f"broken__{rule.name}"),
        )
    ]


def rule_results(
    table: str,
    rules: Sequence[Rule],
    slices: Iterable[tuple[str, dt.date]],
    counted: Iterable[Row],
    verdicts: Iterable[Verdict],
) -> list[RuleResult]:
    """One result per rule and slice, from the counts of the split. Raises if Great Expectations counted otherwise."""
    rows = list(counted)
    for verdict in verdicts:
        split = sum(row[f"broken__{verdict.rule.name}"] for row in rows)
        if split != verdict.broken or verdict.passed != (split == 0):
            raise AssertionError(
                f"{verdict.rule.name}: the split found {split} broken rows, Great Expectations {verdict.broken}"
            )
    return [
        RuleResult(
            cluster,
            day,
            table,
            rule,
            checked=sum(row[f"checked__{rule.name}"] for row in rows if (row.cluster, row.day) == (cluster, day)),
            broken=sum(row[f"broken__{rule.name}"] for row in rows if (row.cluster, row.day) == (cluster, day)),
        )
        for rule in rules
        for cluster, day in slices
    ]


def _verdict(rule: Rule, result: "ExpectationValidationResult") -> Verdict:
    if "unexpected_count" not in result.result:
        # Great Expectations keeps what Spark raised and goes on.
        raise RuntimeError(f"{rule.name} could not be judged: {result.exception_info}")
    # The count is None instead of 0 if there are no rows.
    return Verdict(rule, result.result["unexpected_count"] or 0, bool(result.success))


class Validator:
    """Great Expectations for one run. Its import takes seconds, so it happens only here."""

    def __init__(self, docs_folder: str | None) -> None:
        import os

        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        # Once dbt has given the root logger a handler, it would write each temporary folder that it makes to the terminal: the
        # module that does has a level of its own.
        for name in ("great_expectations", ProgressBarsConfig.__module__):
            logging.getLogger(name).setLevel(logging.WARNING)

        self._gx = gx
        self._docs_folder = docs_folder
        self._context = gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)

    @functools.cached_property
    def _source(self) -> Any:
        """Only now: if no Spark session runs yet, it starts one of its own, and a run imports this while Spark starts."""
        # It would cache every column of each frame for good, which costs more than reading the few it needs twice.
        return self._context.data_sources.add_spark("lake", persist=False)

    def verdicts(self, name: str, rows: DataFrame, rules: Sequence[Rule]) -> list[Verdict]:
        """Counts the rows that break each rule, from the columns that `with_verdicts` added. `name` is the suite's."""
        if not rules:
            return []
        gx = self._gx
        suite = gx.ExpectationSuite(
            name=name,
            expectations=[expectation(rule, _BROKEN + rule.name) for rule in rules],
        )
        suite = self._context.suites.add_or_update(suite)
        if name not in {asset.name for asset in self._source.assets}:
            self._source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("slice")
        batches = self._source.get_asset(name).get_batch_definition("slice")
        definition = self._context.validation_definitions.add_or_update(
            gx.ValidationDefinition(name=name, data=batches, suite=suite)
        )
        # No examples: all rejected rows are in quarantine.
        validation = definition.run(
            batch_parameters={"dataframe": rows.select(*(_BROKEN + rule.name for rule in rules))},
            result_format={"result_format": "BASIC", "partial_unexpected_count": 0},
        )
        by_rule = {
            result.expectation_config.meta["rule"]: result
            for result in validation.results
            if result.expectation_config and result.expectation_config.meta
        }
        return [_verdict(rule, by_rule[rule.name]) for rule in rules]

    def write_docs(self, results: Iterable[RuleResult], samples: Samples) -> None:
        """Writes the Data Docs of the days of these results. Validates nothing afterwards: the docs have a context of their own."""
        if self._docs_folder is not None:
            write_data_docs(Path(self._docs_folder), results, samples)
