"""One field of some valid rows of a recorded day is changed: the rule that it breaks finds them, no other rule does, Great
Expectations counts the same, and the rest of the day is accepted as it was, row for row."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from recorded.landing import arrange
from support.row_mutations import COMPLETED, MUTATIONS, Mutation

from expectations import gate
from expectations.rule import Rule
from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.settings import SOURCES
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.open_inputs import open_built_days
from spark_jobs.silver.pipeline.plan import DAY_ENTRY
from spark_jobs.silver.pipeline.registry import silver_tables

pytestmark = pytest.mark.slow

_ROWS = 16


def _is_in_cut(path: Path) -> bool:
    """The groups of one partition of __consumer_offsets, two reports of lag, and the logs of some consumers."""
    if path.parts[0] == "offsets-raw":
        return path.parts[1] != "at-120s" and path.parts[2] == "__consumer_offsets-2"
    is_report = path.parts[0] == "lag" and any(time in path.name for time in ("112800Z", "113100Z"))
    return is_report or (path.parts[0] == "clients" and path.parts[1].startswith(("inventory", "orders", "pricing")))


@pytest.fixture(scope="module")
def job(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("mutated")
    job = new_job(folder / "lake", arrange("kafka-4.3", folder / "landing", include=_is_in_cut, logs=True))
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


def rows_of(inputs: DayInputs, table: str, on: str) -> DataFrame:
    """With all columns that the rules on these rows may need, as far as the cut has them."""
    declared = silver_tables()[table]
    if on == "accepted":
        rows = inputs.lake.read(table)
        rows = rows if declared.judged_with is None else declared.judged_with(inputs, rows)
    else:
        rows = inputs.judged(table)
        rows = rows.drop("rules", *(name for name in rows.columns if name.startswith(("broken__", "valid__"))))
    return rows.withColumns(
        {name: F.expr(sql).cast(rows.schema[name].dataType) for name, sql in COMPLETED.get((table, on), {}).items()}
    )


def rejecting(rules: list[Rule]) -> list[Rule]:
    """So that each is judged, whatever another one says about the row."""
    return [replace(rule, action="reject") if rule.action == "warn" else rule for rule in rules]


def numbered_rows(rows: DataFrame, rules: list[Rule]) -> DataFrame:
    """The rows that break no rule: a good day."""
    judged = gate.with_verdicts(rows, rejecting(rules))
    good = gate.valid(judged).select(*rows.columns)
    return good.withColumn("number", F.monotonically_increasing_id()).localCheckpoint()


def mutated_days(good: DataFrame, mutations: list[Mutation]) -> DataFrame:
    """The good day once for each mutation, with some rows changed."""
    days = []
    for place, mutation in enumerate(mutations):
        chosen = [row.number for row in good.where(mutation.where).select("number").limit(_ROWS).collect()]
        is_changed = F.col("number").isin(chosen)
        changed = {
            name: F.when(is_changed, F.expr(sql).cast(good.schema[name].dataType)).otherwise(F.col(name))
            for name, sql in mutation.changed.items()
        }
        days.append(good.withColumns({**changed, "is_changed": is_changed, "mutation": F.lit(place)}))
    return functools.reduce(DataFrame.unionByName, days).localCheckpoint()


def contents(columns: list[str]) -> Column:
    return F.to_json(F.struct(*columns), {"ignoreNullFields": "false"}).alias("contents")


def test_each_mutation_is_found_by_its_rule_alone_and_the_rest_of_the_day_is_accepted_as_it_was(job: Job) -> None:
    built = sorted((c, d) for c, d, table in ledger.newest(job.lake, "silver") if table == DAY_ENTRY)
    validator = gate.Validator(None)
    found, kept, tried = 0, 0, set()
    with open_built_days(job.lake, job.settings, Slices({built[0][0]: [day for _, day in built]})) as inputs:
        for (table, on), mutations in MUTATIONS.items():
            rules = gate.rules_for(table, {}, on=on)  # type: ignore[arg-type]
            good = numbered_rows(rows_of(inputs, table, on), rules)
            columns = [name for name in good.columns if name != "number"]
            before = {row.number: row.contents for row in good.select("number", contents(columns)).collect()}
            names = [rule.name for rule in rules]
            # As it is split: what is rejected is not warned of.
            judged = gate.with_verdicts(mutated_days(good, mutations), rules)
            verdicts = {each.rule.name: each.broken for each in validator.verdicts(f"{table} {on}", judged, rules)}
            counted = dict.fromkeys(names, 0)
            accepted = {(row.mutation, row.number) for row in gate.valid(judged).select("mutation", "number").collect()}
            shown = judged.select(
                "mutation", "number", "is_changed", contents(columns), *(f"broken__{name}" for name in names)
            )
            for row in shown.collect():
                broken = {name for name in names if row[f"broken__{name}"]}
                mutation = mutations[row.mutation]
                if row.is_changed:
                    assert broken == {mutation.rule}, (table, mutation)
                    rejects = next(rule for rule in rules if rule.name == mutation.rule).action == "reject"
                    assert ((row.mutation, row.number) in accepted) != rejects, (table, mutation)
                    counted[mutation.rule] += 1
                    tried.add((table, mutation.rule))
                    found += 1
                else:
                    assert broken == set(), (table, mutation)
                    assert (row.mutation, row.number) in accepted, (table, mutation)
                    assert row.contents == before[row.number], (table, mutation)
                    kept += 1
            assert verdicts == counted
    assert {(table, rule.name) for (table, _) in MUTATIONS for rule in gate.RULES if rule.table == table} == tried
    assert found >= 300
    assert kept >= 1000
