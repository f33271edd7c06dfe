"""The gate: rules split rows, and Great Expectations gives the verdict and keeps the record. The one file that knows it."""

import datetime as dt
import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from expectations.delivery_rules import DELIVERY_RULES
from expectations.group_rules import GROUP_RULES
from expectations.lag_rules import LAG_RULES
from expectations.offset_rules import OFFSET_RULES
from expectations.rule import Action, Rule

RULES: tuple[Rule, ...] = (*OFFSET_RULES, *LAG_RULES, *GROUP_RULES, *DELIVERY_RULES)

_SEVERITY = {"halt": "critical", "reject": "critical", "warn": "warning"}
_VERDICT = "broken__"
# Whether no rule rejects a row: asked far more often than which rules do.
_LAWFUL = "lawful__"
# All that was found of a row.
_FOUND = "found__"


@dataclass(frozen=True)
class Verdict:
    """What Great Expectations found of one rule."""

    rule: Rule
    broken: int
    passed: bool


@dataclass(frozen=True)
class Result:
    """What the split counted of one rule in one slice."""

    cluster: str
    day: dt.date
    table: str
    rule: Rule
    checked: int
    broken: int


def rules_for(table: str, actions: Mapping[str, str], *, on: str) -> list[Rule]:
    """The rules of a table with the actions that this site wants."""
    return [
        replace(rule, action=cast(Action, actions.get(rule.name, rule.action)))
        for rule in RULES
        if rule.table == table and rule.on == on
    ]


def judged(rows: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """Adds a column per rule: true where a row breaks it, null where it can't be judged; and `rules`, the names of
    those that reject it. What only warns judges no row that another rule rejects."""
    # All at once: every further call would have Spark analyse the whole plan again.
    verdicts = {_VERDICT + rule.name: F.expr(rule.broken_when) for rule in rules}
    # Null is not broken: it must not fall between the halves.
    rejecting = {
        rule.name: F.coalesce(verdicts[_VERDICT + rule.name], F.lit(False)) for rule in rules if rule.action == "reject"
    }
    rejected = functools.reduce(operator.or_, rejecting.values(), F.lit(False))
    for rule in rules:
        if rule.action == "warn":
            verdicts[_VERDICT + rule.name] = F.when(~rejected, verdicts[_VERDICT + rule.name])
    names = [F.when(broken, F.lit(name)) for name, broken in rejecting.items()]
    broken = F.array_compact(F.array(*names)) if names else F.array().cast("array<string>")
    return rows.withColumns({**verdicts, "rules": broken, _LAWFUL: ~rejected})


def packed(judged: DataFrame, rules: Sequence[Rule], *beside: str) -> DataFrame:
    """What was found of judged rows as one number, small enough to be kept, and the columns `beside`."""
    told = F.col(_LAWFUL).cast("bigint")
    for place, rule in enumerate(rules, 1):
        # 0: can't be judged, 1: obeys, 2: is broken.
        of_rule = F.coalesce(F.col(_VERDICT + rule.name).cast("bigint") + 1, F.lit(0))
        told = told + of_rule * F.lit(1 << 2 * place)
    return judged.select(*beside, told.alias(_FOUND))


def unpacked(rows: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """The columns of judged rows again, from what was found of them."""
    columns = {_LAWFUL: F.col(_FOUND).bitwiseAND(F.lit(1)) == 1}
    for place, rule in enumerate(rules, 1):
        of_rule = F.shiftright(_FOUND, 2 * place).bitwiseAND(F.lit(3))
        columns[_VERDICT + rule.name] = F.when(of_rule > 0, of_rule == 2)
    return rows.withColumns(columns)


def lawful(rows: DataFrame) -> DataFrame:
    return rows.where(_LAWFUL)


def unlawful(rows: DataFrame) -> DataFrame:
    return rows.where(f"not {_LAWFUL}")


def tally() -> list[Column]:
    """Aggregates of judged rows: where they go. `copies` is how many equal rows each stands for."""
    return [
        F.count_if(_LAWFUL).alias("accepted"),
        F.count_if(~F.col(_LAWFUL)).alias("rejected"),
        F.sum(F.col("copies") - 1).alias("duplicate"),
    ]


def counts(rules: Sequence[Rule]) -> list[Column]:
    """Aggregates of judged rows: how many each rule could judge, and how many break it."""
    return [
        aggregate
        for rule in rules
        for aggregate in (
            F.count(_VERDICT + rule.name).alias(f"checked__{rule.name}"),
            F.count_if(F.col(_VERDICT + rule.name)).alias(f"broken__{rule.name}"),
        )
    ]


def results(
    table: str,
    rules: Sequence[Rule],
    slices: Iterable[tuple[str, dt.date]],
    counted: Iterable[Row],
    verdicts: Iterable[Verdict],
) -> list[Result]:
    """One result per rule and slice, from the split's own count. Great Expectations must have counted the same."""
    rows = list(counted)
    for verdict in verdicts:
        split = sum(row[f"broken__{verdict.rule.name}"] for row in rows)
        if split != verdict.broken or verdict.passed != (split == 0):
            raise AssertionError(
                f"{verdict.rule.name}: the split found {split} broken rows, Great Expectations {verdict.broken}"
            )
    return [
        Result(
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


class Judge:
    """Great Expectations, held open for one run. Importing it costs seconds, so nothing else imports it."""

    def __init__(self, docs: str | None) -> None:
        import os

        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        self._gx = gx
        self._docs = docs
        self._context = gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)
        # It would keep each frame in memory for good, with all columns: dearer than reading the few it asks about again.
        self._source = self._context.data_sources.add_spark("lake", persist=False)

    def verdicts(self, name: str, rows: DataFrame, rules: Sequence[Rule]) -> list[Verdict]:
        """Its own count of the rows that break each rule, taken from the columns that `judged` added."""
        if not rules:
            return []
        gx = self._gx
        suite = gx.ExpectationSuite(
            name=name,
            expectations=[
                gx.expectations.ExpectColumnValuesToNotBeInSet(
                    column=_VERDICT + rule.name,
                    value_set=[True],
                    severity=_SEVERITY[rule.action],
                    notes=f"{rule.because} ({rule.source})",
                    meta={"rule": rule.name, "broken_when": " ".join(rule.broken_when.split())},
                )
                for rule in rules
            ],
        )
        suite = self._context.suites.add_or_update(suite)
        if name not in {asset.name for asset in self._source.assets}:
            self._source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("slice")
        batches = self._source.get_asset(name).get_batch_definition("slice")
        definition = self._context.validation_definitions.add_or_update(
            gx.ValidationDefinition(name=name, data=batches, suite=suite)
        )
        # No examples are asked for: the broken rows stand in quarantine, all of them.
        found = definition.run(
            batch_parameters={"dataframe": rows.select(*(_VERDICT + rule.name for rule in rules))},
            result_format={"result_format": "BASIC", "partial_unexpected_count": 0},
        )
        by_rule = {
            result.expectation_config.meta["rule"]: result
            for result in found.results
            if result.expectation_config and result.expectation_config.meta
        }
        return [
            # Of no rows at all Great Expectations counts nothing rather than 0.
            Verdict(rule, by_rule[rule.name].result["unexpected_count"] or 0, bool(by_rule[rule.name].success))
            for rule in rules
        ]

    def write_docs(self) -> None:
        """The Data Docs show the verdicts of this run: their cost does not grow with history."""
        if self._docs is None:
            return
        self._context.add_data_docs_site(
            site_name="lake",
            site_config={
                "class_name": "SiteBuilder",
                "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": self._docs},
                "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
            },
        )
        self._context.build_data_docs(site_names=["lake"])
