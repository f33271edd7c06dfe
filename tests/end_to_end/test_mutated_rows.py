"""One field of a valid recorded row is changed: the rule that it breaks finds it, no other rule does, and Great Expectations
counts the same."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from recorded.landing import arrange
from support.row_mutations import COMPLETED, MUTATIONS

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


def mutated_rows(rows: DataFrame, table: str, on: str, rules: list[Rule]) -> DataFrame:
    """Some valid rows for each mutation, changed, with the number of the mutation."""
    judged = gate.with_verdicts(rows, rejecting(rules))
    good = gate.valid(judged).select(*rows.columns).localCheckpoint()
    changed = [
        good.where(mutation.where)
        .limit(_ROWS)
        .withColumns({name: F.expr(sql).cast(good.schema[name].dataType) for name, sql in mutation.changed.items()})
        .withColumn("mutation", F.lit(number))
        for number, mutation in enumerate(MUTATIONS[table, on])
    ]
    return functools.reduce(DataFrame.unionByName, changed).localCheckpoint()


def test_each_mutation_is_found_by_its_rule_alone_and_counted_alike_by_great_expectations(job: Job) -> None:
    built = sorted((c, d) for c, d, table in ledger.newest(job.lake, "silver") if table == DAY_ENTRY)
    validator = gate.Validator(None)
    found, tried = 0, set()
    with open_built_days(job.lake, job.settings, Slices({built[0][0]: [day for _, day in built]})) as inputs:
        for (table, on), mutations in MUTATIONS.items():
            rules = gate.rules_for(table, {}, on=on)  # type: ignore[arg-type]
            rows = mutated_rows(rows_of(inputs, table, on), table, on, rules)
            names = [rule.name for rule in rules]
            # As it is split: what is rejected is not warned of.
            judged = gate.with_verdicts(rows, rules).select("mutation", *(f"broken__{name}" for name in names))
            verdicts = {each.rule.name: each.broken for each in validator.verdicts(f"{table} {on}", judged, rules)}
            counted = dict.fromkeys(names, 0)
            for row in judged.collect():
                broken = {name for name in names if row[f"broken__{name}"]}
                assert broken == {mutations[row.mutation].rule}, (table, mutations[row.mutation])
                counted[mutations[row.mutation].rule] += 1
                tried.add((table, mutations[row.mutation].rule))
                found += 1
            assert verdicts == counted
    assert {(table, rule.name) for (table, _) in MUTATIONS for rule in gate.RULES if rule.table == table} == tried
    assert found >= 300
