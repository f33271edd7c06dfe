"""Commits in gold of the recording of Kafka 4.3, compared with the journal of its applications."""

from typing import NamedTuple

from support.recorded_logs import groups_in_truth, journal
from support.sql_rows import sql_rows

from spark_jobs.lake.tables import Lake

GROUPS = groups_in_truth("kafka-4.3")


class CommittedOffset(NamedTuple):
    group_id: str
    partition: str
    offset: int


def test_regressions_are_those_of_the_journal(gold_lake: Lake) -> None:
    expected = {
        (group, regression["partition"], regression["from"], regression["to"])
        for group, facts in GROUPS.items()
        for regression in facts["regressions"] or ()
    }
    gaps = "select group_id, concat(topic, '-', partition_id), previous_offset, committed_offset from gold.commit_gaps"
    assert len(expected) == 7
    assert sql_rows(gold_lake, f"{gaps} where kind = 'regression'") == expected


def test_each_regression_has_the_cause_that_its_commits_reveal(gold_lake: Lake) -> None:
    causes = "select distinct group_id, cause from gold.commit_gaps where kind = 'regression'"
    assert sql_rows(gold_lake, causes) == {
        ("ledger-export", "async_retry"),
        ("feature-store", "replay"),
        ("manual-ops", "reset"),
    }


def test_the_owner_of_a_commit_is_the_client_that_made_it_and_in_eager_groups_the_generation_is_its_own(
    gold_lake: Lake,
) -> None:
    in_journal: dict[CommittedOffset, set[tuple[str, int | None]]] = {}
    for entry in journal("kafka-4.3"):
        if entry["event"] == "commit" and entry["result"] == "ok":
            for partition, offset in entry["offsets"].items():
                committers = in_journal.setdefault(CommittedOffset(entry["group"], partition, offset), set())
                committers.add((entry["client"], entry.get("generation")))
    gaps = gold_lake.spark.sql(
        "select group_id, concat(topic, '-', partition_id), committed_offset, owner_client_id, generation from gold.commit_gaps"
    )
    rows = [row for row in gaps.collect() if tuple(row[:3]) in in_journal]
    # This group only commits: it has no members and no generations.
    of_simple_group = [row for row in rows if row.group_id == "batch-reconciler"]
    # Members of cooperative and KIP-848 groups learn of a generation later than the group has it.
    not_eager = (
        "select distinct group_id from gold.rebalances where group_type != 'classic' or assignor = 'cooperative-sticky'"
    )
    groups_not_eager = {group for (group,) in sql_rows(gold_lake, not_eager)}
    assert len(rows) > 2_000
    assert of_simple_group
    assert groups_not_eager
    for row in rows:
        committers = in_journal[CommittedOffset(*row[:3])]
        clients = {client for client, _ in committers}
        generations = {generation for _, generation in committers} - {None}
        if row.group_id == "batch-reconciler":
            assert (row.owner_client_id, row.generation) == (None, None)
        else:
            assert row.owner_client_id in clients, row
            assert row.group_id in groups_not_eager or not generations or row.generation in generations, row


def test_last_positions_are_those_that_the_broker_returned_at_the_end(gold_lake: Lake) -> None:
    expected = {
        (group, partition, offset)
        for group, facts in GROUPS.items()
        for partition, offset in (facts["committed_at_end_by_broker"] or {}).items()
        if (group, partition) != ("backfill-job", "backfill-0")
    }
    positions = "select group_id, concat(topic, '-', partition_id), last_committed_offset from gold.commit_health"
    groups = ", ".join(f"'{group}'" for group in GROUPS)
    assert expected
    found = sql_rows(gold_lake, f"{positions} where last_committed_offset is not null and group_id in ({groups})")
    assert found == expected


def test_groups_with_auto_commit_or_transactions_are_recognised(gold_lake: Lake) -> None:
    styles = "select distinct group_id, commit_style, expected_interval_ms from gold.commit_health"
    assert sql_rows(gold_lake, f"{styles} where commit_style in ('auto', 'transactional')") == {
        ("clickstream-sessions", "auto", 5000),
        ("shipping-eta", "auto", 5000),
        ("payments-enricher", "transactional", None),
    }


def test_what_a_reset_jumped_over_is_no_replay_window(gold_lake: Lake) -> None:
    # archive-writer polled 500 records at a time. Its position 250 was out of range, and reading continued at 1719.
    jumps = "select previous_offset, committed_offset from gold.commit_gaps where group_id = 'archive-writer' and advanced > 500"
    assert sql_rows(gold_lake, jumps) == {(250, 2219)}
    windows = "select max(replay_window_max) from gold.commit_health where group_id = 'archive-writer'"
    assert sql_rows(gold_lake, windows) == {(500,)}


def test_positions_expire_a_week_after_the_group_became_empty_or_after_the_commit_of_a_simple_group(
    gold_lake: Lake,
) -> None:
    # KIP-848 counts from the commit.
    emptied = (
        "select group_id, if(max_by(group_type, generation) = 'classic', max_by(coalesce(state_at, recorded_at), generation), null) "
        "as at from silver.group_generations where member_count = 0 group by group_id"
    )
    expected = (
        "select group_id, topic, partition_id, coalesce(at, committed_at) + interval 7 days from silver.positions "
        f"left join ({emptied}) using (group_id) where committed_offset is not null"
    )
    expiries = sql_rows(
        gold_lake,
        "select group_id, topic, partition_id, expires_at from gold.commit_health where expires_at is not null",
    )
    assert len(expiries) > 100
    assert expiries == sql_rows(gold_lake, expected)
