"""Every rule finds exactly the rows that break it, and Great Expectations counts as the split does."""

import pytest
from pyspark.sql import Row, SparkSession
from rules import arrivals, client_configs, delivery, group_generations, group_members, lag_samples, offset_commits

from expectations import gate

TABLES = {
    "silver.offset_commits": offset_commits,
    "silver.lag_samples": lag_samples,
    "silver.group_generations": group_generations,
    "silver.group_members": group_members,
    "silver.client_configs": client_configs,
    "delivery": delivery,
    "gold.arrivals": arrivals,
}


@pytest.fixture(scope="module")
def validator() -> gate.Validator:
    return gate.Validator(None)


def test_every_rule_has_rows_that_break_it_and_rows_that_obey() -> None:
    assert len(gate.RULES) >= 31
    assert {rule.name for rule in gate.RULES} == {name for table in TABLES.values() for name in table.CASES}
    for table in TABLES.values():
        for broken, obeying, _ in table.CASES.values():
            assert broken
            assert obeying


@pytest.mark.parametrize("rule", gate.RULES, ids=lambda rule: rule.name)
def test_only_the_rows_that_break_a_rule_are_counted_as_broken(
    spark: SparkSession, validator: gate.Validator, rule: gate.Rule
) -> None:
    table = TABLES[rule.table]
    broken, obeying, unknown = table.CASES[rule.name]
    cases = [
        ({**table.VALID_ROW, **row}, expected)
        for rows, expected in ((broken, True), (obeying, False), (unknown, None))
        for row in rows
    ]
    frame = spark.createDataFrame([tuple(row.values()) for row, _ in cases], table.COLUMNS).coalesce(1)
    with_verdicts = gate.with_verdicts(frame, [rule])

    assert [row[f"broken__{rule.name}"] for row in with_verdicts.collect()] == [expected for _, expected in cases]
    [verdict] = validator.verdicts(rule.name, with_verdicts, [rule])
    counted = with_verdicts.agg(*gate.rule_counts([rule])).collect()[0]
    assert (verdict.broken, verdict.passed) == (len(broken), False)
    assert counted[f"broken__{rule.name}"] == len(broken)
    assert counted[f"checked__{rule.name}"] == len(broken) + len(obeying)


def test_the_split_loses_no_row_that_a_rule_cannot_judge(spark: SparkSession) -> None:
    table = offset_commits
    rows = [
        {**table.VALID_ROW, **row}
        for broken, obeying, unknown in table.CASES.values()
        for row in broken + obeying + unknown
    ]
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], table.COLUMNS)
    with_verdicts = gate.with_verdicts(frame, gate.rules_for("silver.offset_commits", {}, on="parsed"))
    assert gate.valid(with_verdicts).count() + gate.rejected(with_verdicts).count() == len(rows)


def test_settings_change_the_action_of_a_rule(spark: SparkSession) -> None:
    table = offset_commits
    frame = spark.createDataFrame([tuple({**table.VALID_ROW, "committed_offset": -1}.values())], table.COLUMNS)
    rules = gate.rules_for("silver.offset_commits", {"committed_offset_is_not_negative": "warn"}, on="parsed")
    assert gate.rejected(gate.with_verdicts(frame, rules)).count() == 0


def test_counts_that_differ_from_great_expectations_are_an_error() -> None:
    rule = gate.RULES[0]
    counted = [Row(**{f"checked__{rule.name}": 3, f"broken__{rule.name}": 2})]
    with pytest.raises(AssertionError, match="the split found 2 broken rows, Great Expectations 3"):
        gate.rule_results(rule.table, [rule], [], counted, [gate.Verdict(rule, 3, False)])


def test_what_spark_raises_while_rules_are_judged_ends_the_run(spark: SparkSession, validator: gate.Validator) -> None:
    rule = gate.RULES[0]
    rows = spark.sql(f"select cast(raise_error('the disk is full') as boolean) as broken__{rule.name}")
    with pytest.raises(RuntimeError, match=f"(?s){rule.name} could not be judged: .*the disk is full"):
        validator.verdicts("rows that can't be read", rows, [rule])
