"""Findings of the recording of Kafka 4.3, compared with the journal of its applications."""

from itertools import pairwise

from support.recorded_logs import groups_in_truth, journal
from support.sql_rows import sql_rows

from spark_jobs.lake.tables import Lake

GROUPS = groups_in_truth("kafka-4.3")


def test_partitions_that_stay_one_record_behind_are_those_of_the_journal(gold_lake: Lake) -> None:
    expected = {(group, partition) for group, facts in GROUPS.items() for partition in facts["off_by_one"] or ()}
    assert expected
    assert sql_rows(gold_lake, "select group_id, subject from gold.findings where kind = 'off_by_one'") == expected


def test_a_commit_past_the_log_end_is_a_critical_finding_and_not_a_position(gold_lake: Lake) -> None:
    expected = {(group, at["partition"]) for group, facts in GROUPS.items() for at in facts["beyond_log_end"] or ()}
    findings = (
        "select group_id, subject from gold.findings where kind = 'commit_past_log_end' and severity = 'critical'"
    )
    position = "select last_committed_offset, commits_rejected from gold.commit_health"
    assert expected == {("backfill-job", "backfill-0")}
    assert sql_rows(gold_lake, findings) == expected
    assert sql_rows(gold_lake, f"{position} where group_id = 'backfill-job' and partition_id = 0") == {(None, 1)}


def test_groups_with_findings_about_members_and_transactions_are_those_of_the_journal(gold_lake: Lake) -> None:
    fact_of_kind = {
        "evicted": "session_expiries_expected",
        "fenced": "fenced",
        "poll_interval": "poll_timeout_leaves_expected",
        "idle_members": "idle_members",
        "aborted_transactions": "aborted_transactions",
    }
    for kind, fact in fact_of_kind.items():
        expected = {(group,) for group, facts in GROUPS.items() if facts.get(fact)}
        assert expected
        assert sql_rows(gold_lake, f"select group_id from gold.findings where kind = '{kind}'") == expected, kind


def test_the_incidents_are_the_restart_of_the_broker_the_deletions_and_the_silent_exporter(gold_lake: Lake) -> None:
    deletions = {
        ("offsets_deleted" if entry["op"] == "delete-offsets" else "group_deleted", entry["group"])
        for entry in journal("kafka-4.3")
        if entry.get("op") in ("delete-offsets", "delete-group")
    }
    assert len(deletions) == 3
    assert sql_rows(gold_lake, "select kind, subject from gold.incidents") == {
        *deletions,
        ("broker_restarted", "broker 1"),
        ("exporter_silent", "prometheus-kafka-consumer-group-exporter"),
    }


def test_a_rebalance_that_the_restart_of_the_broker_caused_leads_to_no_advice(gold_lake: Lake) -> None:
    advice = "select rule from gold.config_findings where group_id = 'clickstream-sessions'"
    story = (
        "select count(*) from gold.group_story where group_id = 'clickstream-sessions' "
        "and sentence like '%Rebalance to generation 2%, after broker 1 was restarted%'"
    )
    assert ("cooperative_rebalances_stop_less",) not in sql_rows(gold_lake, advice)
    assert sql_rows(gold_lake, story) == {(1,)}


def test_no_finding_is_about_a_console_consumer_or_a_restart_in_a_group_of_one(gold_lake: Lake) -> None:
    findings = "select group_id from gold.findings"
    assert not sql_rows(gold_lake, f"{findings} where group_id like 'console-consumer-%'")
    assert not sql_rows(gold_lake, f"{findings} where kind = 'avoidable_restart' and group_id like 'archive-%'")
    assert not sql_rows(gold_lake, "select group_id from gold.group_health where group_id like 'console-consumer-%'")


def test_skipped_records_and_consumers_that_cannot_work_are_the_only_other_critical_findings(gold_lake: Lake) -> None:
    out_of_range = {
        (group, "skipped_records") for group, facts in GROUPS.items() if "out-of-range" in facts["scenarios"]
    }
    refused = {
        ("geo-lookup-fast", "cannot_join"),
        ("geo-lookup-strict", "setting"),
        ("archive-verifier", "no_position"),
    }
    assert len(out_of_range) == 3
    assert sql_rows(gold_lake, "select group_id, kind from gold.findings where severity = 'critical'") == {
        *out_of_range,
        *refused,
        ("backfill-job", "commit_past_log_end"),
    }


def test_a_finding_of_skipped_records_counts_the_records_between_two_polls_of_the_journal(gold_lake: Lake) -> None:
    titles = "select title from gold.findings where kind = 'skipped_records' and group_id = 'archive-writer'"
    # The first record and the next position of each poll; retention had deleted the records in between.
    polls = [
        (entry["first"]["sensor-readings-0"], entry["position"]["sensor-readings-0"])
        for entry in journal("kafka-4.3")
        if entry["event"] == "poll" and entry["group"] == "archive-writer" and "sensor-readings-0" in entry["first"]
    ]
    [(position, first)] = [(position, first) for (_, position), (first, _) in pairwise(polls) if first > position]
    assert sql_rows(gold_lake, titles) == {
        (
            f"Group archive-writer skipped {first - position:,} records on sensor-readings-0:"
            f" position {position} was out of range and auto.offset.reset moved it to {first}",
        )
    }


def test_a_group_that_another_assignor_balances_better_is_recommended_that_assignor(gold_lake: Lake) -> None:
    findings = "select group_id, recommendation from gold.findings where kind = 'uneven_assignment'"
    assert sql_rows(gold_lake, findings) == {("orders-billing", "Use the assignor sticky")}
