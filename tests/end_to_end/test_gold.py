"""Gold of the recording of Kafka 4.3: what is built and rebuilt, what its tests find, and what coverage counts."""

import datetime as dt
import os
from collections.abc import Set

import pytest
from support.sql_rows import sql_rows

from spark_jobs.errors import UserError
from spark_jobs.gold.build_gold import BuiltGold, build_gold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake

DAY = dt.date(2026, 11, 18)


@pytest.fixture(scope="module")
def dbt(recorded_gold: tuple[Job, BuiltGold]) -> DbtRunner:
    return DbtRunner(recorded_gold[0].lake, recorded_gold[0].settings)


def build(job: Job, force: Set[tuple[str, dt.date]] = frozenset()) -> BuiltGold:
    return build_gold(job.lake, job.settings, job.run, force=force, report=lambda _: None)


def test_all_data_tests_pass_on_the_recording(recorded_gold: tuple[Job, BuiltGold]) -> None:
    assert recorded_gold[1] == BuiltGold(days=(DAY,), failed_tests=())


def test_a_day_that_is_up_to_date_is_not_rebuilt(recorded_gold: tuple[Job, BuiltGold]) -> None:
    assert build(recorded_gold[0]) == BuiltGold(days=(), failed_tests=())


def test_coverage_counts_every_record_and_every_duplicate_once(gold_lake: Lake) -> None:
    receipts = "select source, sum(records), sum(understood), sum(not_understood), sum(ignored) from"
    # Group records that update a generation are duplicates to the ledger, because silver.group_generations has the first one.
    log_places = "select distinct offsets_partition, record_offset from bronze.offset_records where kind = 'group'"
    updates = f"(select count(*) from ({log_places})) - (select count(*) from silver.group_generations)"
    in_ledger = f"select cast(sum(rows_duplicate) as bigint) - ({updates}), cast(sum(rows_rejected) as bigint) from quality.runs"
    assert sql_rows(gold_lake, f"{receipts} gold.coverage group by all") == sql_rows(
        gold_lake, f"{receipts} bronze.files group by all"
    )
    assert sql_rows(gold_lake, "select sum(duplicates), sum(rejected) from gold.coverage") == sql_rows(
        gold_lake, f"{in_ledger} where layer = 'silver'"
    )


def test_duplicate_rows_fail_a_data_test_and_are_removed_when_the_day_is_rebuilt(
    recorded_gold: tuple[Job, BuiltGold], gold_lake: Lake, dbt: DbtRunner
) -> None:
    tables = (
        *("assignments", "assignor_balance", "assignor_what_if"),
        *("commit_gaps", "commit_health", "coverage", "findings", "group_health", "group_story"),
    )
    before = {table: sorted(map(str, gold_lake.read(f"gold.{table}").collect())) for table in tables}
    assert all(before.values())
    gold_lake.spark.sql("insert into gold.commit_gaps select * from gold.commit_gaps where kind = 'regression'")
    with dbt.environment([DAY]):
        failed = dbt.failed_tests()
    assert failed == (
        "commit_gaps_holds (one row per cluster, group_id, topic, partition_id, committed_at, record_offset: 7 rows)",
    )
    (cluster,) = {row.cluster for row in gold_lake.read("gold.coverage").collect()}
    assert build(recorded_gold[0], force={(cluster, DAY)}) == BuiltGold(days=(DAY,), failed_tests=())
    assert {table: sorted(map(str, gold_lake.read(f"gold.{table}").collect())) for table in tables} == before


def test_an_error_of_dbt_is_one_sentence(dbt: DbtRunner) -> None:
    with (
        dbt.environment([DAY]),
        pytest.raises(UserError, match="gold can't be built: dbt says No such option"),
    ):
        dbt.results("run", "--no-such-option")


def test_every_unit_test_of_a_model_passes(dbt: DbtRunner) -> None:
    with dbt.environment([DAY]):
        results = dbt.results("test", "--select", "test_type:unit")
    assert len(results) >= 15
    assert {result.node.name: result.message for result in results if result.status != "pass"} == {}
    assert "LAGOON_DAYS" not in os.environ
