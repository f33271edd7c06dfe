"""Rebalances of the recordings, compared with an independent reading of the broker's log."""

import pytest
from support.independent_log_reader import read_broker_log
from support.recorded_clusters import WITH_BROKER_LOG, Rebalances, TableRows, whole_cluster


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_generations_with_members_are_those_that_the_broker_stabilized_or_bumped(
    rebalances: Rebalances, cluster: str
) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    rows = rebalances(cluster)
    with_log_evidence = {key for key, row in rows.items() if "broker_log" in row.evidence}
    assert len(log.stabilized) > 70
    assert with_log_evidence == {*log.stabilized, *log.epoch_bumps}
    # The broker bumps the epoch of a share group without a log line, so only the offsets topic reports it.
    others = {key for key in rows if key not in with_log_evidence}
    assert others == ({("image-resize", 4)} if cluster == "recorded" else set())
    assert all(rows[key].group_type == "share" and rows[key].evidence == ["offsets_topic"] for key in others)


@pytest.mark.parametrize("recording", ["kafka-3.9", "kafka-4.3"])
def test_a_rebalance_that_all_three_sources_report_is_one_row(rebalances: Rebalances, recording: str) -> None:
    rows = rebalances(whole_cluster(recording))
    for source, cluster in (
        ("broker_log", f"{recording}-broker"),
        ("client_log", f"{recording}-clients"),
        ("offsets_topic", f"{recording}-offsets"),
    ):
        of_source = rebalances(cluster)
        assert {key for key, row in rows.items() if source in row.evidence} == set(of_source)
        assert all(row.evidence == [source] for row in of_source.values())
    assert sum(len(row.evidence) == 3 for row in rows.values()) > 60


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_join_and_sync_phases_start_and_end_at_the_times_in_the_log(rebalances: Rebalances, cluster: str) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    rows = rebalances(cluster)
    expected = {
        key: (log.rebalance_starts[key].at, stabilized_at, log.assignments_received.get(key))
        for key, (stabilized_at, _) in log.stabilized.items()
    }
    assert len(expected) > 70
    assert {
        key: (rows[key].started_at, rows[key].stabilized_at, rows[key].completed_at) for key in expected
    } == expected
    assert {key: row.started_at for key, row in rows.items() if key in log.epoch_bumps} == log.epoch_bumps


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_reason_text_and_triggering_member_are_those_of_the_log_line(rebalances: Rebalances, cluster: str) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    rows = rebalances(cluster)
    for key in log.stabilized:
        start, row = log.rebalance_starts[key], rows[key]
        assert (row.reason, row.trigger_member_id) == (start.reason, start.member), key
        assert row.reason_text in start.texts
    assert len({log.rebalance_starts[key].reason for key in log.stabilized}) >= 7


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_the_number_of_members_is_that_of_the_log_line(rebalances: Rebalances, cluster: str) -> None:
    expected = {key: members for key, (_, members) in read_broker_log(WITH_BROKER_LOG[cluster]).stabilized.items()}
    rows = rebalances(cluster)
    assert expected
    assert {key: rows[key].members_after for key in expected} == expected


# The log states the reason for a new epoch in no single line, so these were found by reading the log.
EPOCH_REASONS = {
    ("customer-profile", 2): "member_joined",
    ("customer-profile", 3): "member_joined",
    ("customer-profile", 4): "member_left",
    ("customer-profile", 5): "member_left",
    ("customer-profile", 6): "member_left",
    ("image-resize", 2): "member_joined",
    ("image-resize", 3): "member_joined",
    ("inventory-forecast", 2): "member_joined",
    ("inventory-forecast", 3): "member_joined",
    ("inventory-forecast", 4): "member_left",
    ("inventory-sync", 2): "member_joined",
    ("inventory-sync", 3): "member_joined",
    ("inventory-sync", 4): "member_joined",
    ("inventory-sync", 5): "session_timeout",
    ("inventory-sync", 6): "member_left",
    # Its members subscribe by a regular expression, which the broker resolves after they joined.
    ("logs-router", 2): "subscription_or_topics_changed",
    ("logs-router", 3): "subscription_or_topics_changed",
    ("logs-router", 4): "member_left",
    ("rates-cache", 2): "member_joined",
    ("rates-cache", 3): "member_joined",
    ("rates-cache", 4): "session_timeout",
    ("rates-report", 2): "member_joined",
    ("rates-report", 3): "member_joined",
    ("rates-report", 4): "member_left",
    ("rates-report", 5): "member_joined",
    ("rates-report", 6): "member_left",
}


@pytest.mark.parametrize("cluster", ["recorded", "kafka-4.3-broker"])
def test_the_reason_for_an_epoch_is_the_log_line_before_it(rebalances: Rebalances, cluster: str) -> None:
    rows = rebalances(cluster)
    found = {key: rows[key].reason for key in read_broker_log("kafka-4.3").epoch_bumps}
    # Only the log of its client states that this member stopped polling.
    by_client_logs = {("rates-report", 4): "poll_interval"} if cluster == "recorded" else {}
    assert found == EPOCH_REASONS | by_client_logs


@pytest.mark.parametrize("recording", ["kafka-3.9", "kafka-4.3"])
def test_member_counts_from_the_broker_log_and_from_the_offsets_topic_agree(
    rebalances: Rebalances, recording: str
) -> None:
    rows = rebalances(whole_cluster(recording))
    by_log, by_topic = rebalances(f"{recording}-broker"), rebalances(f"{recording}-offsets")
    counts = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert len(by_log) >= 72
    for key, row in by_log.items():
        assert [row[name] for name in counts] == [rows[key][name] for name in counts], key
        assert None not in [row[name] for name in counts]
    for key, row in by_topic.items():
        known = {name: row[name] for name in counts if row[name] is not None}
        assert known == {name: rows[key][name] for name in known}, key
        assert row.members_after is not None


def test_client_configs_hold_all_printed_settings(table_rows: TableRows) -> None:
    configs = [row for row in table_rows("silver.client_configs", "recorded") if row.group_id == "report-builder"]
    assert configs
    assert all(len(row.settings) > 60 for row in configs)
    assert {row.settings["max.poll.interval.ms"] for row in configs} == {"6000"}
