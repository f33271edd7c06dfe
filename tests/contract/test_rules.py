"""Each rule breaks on the rows that break it and on no others; the split and Great Expectations count the same."""

import pytest
from pyspark.sql import Row, SparkSession
from rules import delivery, group_generations, group_members, lag_samples, offset_commits

from expectations import gate

TABLES = {
    "silver.offset_commits": offset_commits,
    "silver.lag_samples": lag_samples,
    "silver.group_generations": group_generations,
    "silver.group_members": group_members,
    "delivery": delivery,
}


@pytest.fixture(scope="module")
def judge() -> gate.Judge:
    return gate.Judge(None)


def test_every_rule_has_rows_that_break_it_and_rows_that_obey() -> None:
    assert len(gate.RULES) >= 15
    assert {rule.name for rule in gate.RULES} == {name for table in TABLES.values() for name in table.CASES}
    for table in TABLES.values():
        for broken, obeying, _ in table.CASES.values():
            assert broken
            assert obeying


@pytest.mark.parametrize("rule", gate.RULES, ids=lambda rule: rule.name)
def test_a_rule_is_broken_by_the_rows_that_break_it_and_by_no_others(
    spark: SparkSession, judge: gate.Judge, rule: gate.Rule
) -> None:
    table = TABLES[rule.table]
    broken, obeying, unknown = table.CASES[rule.name]
    given = [
        ({**table.LAWFUL, **row}, expected)
        for rows, expected in ((broken, True), (obeying, False), (unknown, None))
        for row in rows
    ]
    frame = spark.createDataFrame([tuple(row.values()) for row, _ in given], table.COLUMNS).coalesce(1)
    judged = gate.judged(frame, [rule])

    assert [row[f"broken__{rule.name}"] for row in judged.collect()] == [expected for _, expected in given]
    [verdict] = judge.verdicts(rule.name, judged, [rule])
    counted = judged.agg(*gate.counts([rule])).collect()[0]
    assert (verdict.broken, verdict.passed) == (len(broken), False)
    assert counted[f"broken__{rule.name}"] == len(broken)
    assert counted[f"checked__{rule.name}"] == len(broken) + len(obeying)


def test_the_split_loses_no_row_that_a_rule_can_not_judge(spark: SparkSession) -> None:
    table = offset_commits
    rows = [
        {**table.LAWFUL, **row}
        for broken, obeying, unknown in table.CASES.values()
        for row in broken + obeying + unknown
    ]
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], table.COLUMNS)
    judged = gate.judged(frame, gate.rules_for("silver.offset_commits", {}, on="offered"))
    assert gate.lawful(judged).count() + gate.unlawful(judged).count() == len(rows)


def test_a_site_can_change_what_a_rule_does(spark: SparkSession) -> None:
    table = offset_commits
    frame = spark.createDataFrame([tuple({**table.LAWFUL, "committed_offset": -1}.values())], table.COLUMNS)
    rules = gate.rules_for("silver.offset_commits", {"committed_offset_is_not_negative": "warn"}, on="offered")
    assert gate.unlawful(gate.judged(frame, rules)).count() == 0


def test_counts_that_differ_are_an_error() -> None:
    rule = gate.RULES[0]
    counted = [Row(**{f"checked__{rule.name}": 3, f"broken__{rule.name}": 2})]
    with pytest.raises(AssertionError, match="the split found 2 broken rows, Great Expectations 3"):
        gate.results(rule.table, [rule], [], counted, [gate.Verdict(rule, 3, False)])
