"""What a single source reveals of rebalances and sessions: client logs alone, or the offsets topic alone."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import Row
from support.independent_log_reader import read_broker_log
from support.recorded_clusters import (
    BROKER_ONLY,
    CLIENTS_ONLY,
    OFFSETS_ONLY,
    Rebalances,
    Sessions,
    members_with_ending,
    whole_cluster,
)
from support.recorded_logs import client_logs

from benchmarks.accuracy import bounds_by_group
from benchmarks.journal_facts import journal_entries, polled_records
from spark_jobs.gold.build_gold import build_gold
from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake

# Lines of client logs: a classic member joined a generation, a KIP-848 member reached an epoch, the leader assigned
# partitions, a member leaves.
GENERATION_JOINED = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Success\w+ (?:joined|synced) group (?:with|in) generation Generation"
    r"\{generationId=(?P<generation>\d+), memberId='(?P<member>[^']+)'"
)
EPOCH_REACHED = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Member (?P<member>\S+) with epoch (?P<generation>\d+) transitioned from \w+ to \w+"
)
ASSIGNMENT_FINISHED = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Finished assignment for group at generation (?P<generation>\d+): (?P<assignment>.*)"
)
LEAVING = re.compile(
    r"groupId=(?P<group>[^\]]+)\] (?:"
    r"Member (?P<classic_member>\S+) sending LeaveGroup request to coordinator .* due to (?P<reason>.*)"
    r"|Member (?P<epoch_member>\S+) with epoch -1 transitioned from LEAVING to (?P<state>\w+))"
)


@pytest.mark.parametrize("cluster", CLIENTS_ONLY)
def test_client_logs_alone_give_the_generations_that_their_members_joined(
    rebalances: Rebalances, sessions: Sessions, cluster: str
) -> None:
    lines = [line for text in client_logs(CLIENTS_ONLY[cluster]).values() for line in text.splitlines()]
    classic = [m for line in lines if (m := GENERATION_JOINED.search(line))]
    epochs = [m for line in lines if (m := EPOCH_REACHED.search(line)) and int(m["generation"]) > 0]
    rows = rebalances(cluster)
    # Kafka 4.1 and later create a group with epoch 1, so the first rebalance is epoch 2.
    assert set(rows) == {(m["group"], int(m["generation"])) for m in classic} | {
        (m["group"], int(m["generation"])) for m in epochs if int(m["generation"]) > 1
    }
    assert {(row.group_id, row.member_id) for row in sessions(cluster)} == {
        (m["group"], m["member"]) for m in [*classic, *epochs]
    }
    finished = [m for line in lines if (m := ASSIGNMENT_FINISHED.search(line))]
    assignments = {(m["group"], int(m["generation"])): m["assignment"] for m in finished}
    assert len(assignments) > 60
    for key, assignment in assignments.items():
        assert rows[key].members_after == assignment.count("=Assignment(")
        of_members = re.findall(r"partitions=\[([^\]]*)\]", assignment)
        assert rows[key].partitions_assigned == sum(
            len(partitions.split(", ")) for partitions in of_members if partitions
        )


@pytest.mark.parametrize("cluster", CLIENTS_ONLY)
def test_client_logs_alone_give_the_endings_of_their_own_members(sessions: Sessions, cluster: str) -> None:
    left, stopped_polling = set(), set()
    for text in client_logs(CLIENTS_ONLY[cluster]).values():
        for m in filter(None, map(LEAVING.search, text.splitlines())):
            by_poll_timeout = "poll timeout" in (m["reason"] or "") or m["state"] == "STALE"
            (stopped_polling if by_poll_timeout else left).add((m["group"], m["classic_member"] or m["epoch_member"]))
    rows = sessions(cluster)
    assert len(left) > 60
    assert {*members_with_ending(rows, "poll_interval")} == stopped_polling
    # A member that returns under the same id can leave in both ways.
    assert {*members_with_ending(rows, "left")} == left
    fenced = read_broker_log(CLIENTS_ONLY[cluster]).fenced_member_ids
    assert {member for _, member in members_with_ending(rows, "fenced")} == {
        member for member in fenced if "pricing" in member
    }
    assert {row.ended_by for row in rows} == {"left", "poll_interval", "fenced", "still_member"}


@pytest.mark.parametrize("cluster", CLIENTS_ONLY)
def test_client_logs_alone_give_no_reason_that_differs_from_the_brokers(rebalances: Rebalances, cluster: str) -> None:
    log = read_broker_log(CLIENTS_ONLY[cluster])
    known = {key: row.reason for key, row in rebalances(cluster).items() if row.reason != "unknown"}
    differing = {key: reason for key, reason in known.items() if reason != log.rebalance_starts[key].reason}
    assert len(known) > 55
    # The leader asked to rejoin because its metadata had changed; then the broker restarted, and logs another reason.
    after_restart = {("clickstream-sessions", 2): "subscription_or_topics_changed"}
    assert differing == (after_restart if cluster == "kafka-4.3-clients" else {})


# Cluster -> columns that its only source does not report.
UNKNOWN_COLUMNS = {
    **dict.fromkeys(
        BROKER_ONLY, ("partitions_before", "partitions_assigned", "partitions_moved", "partitions_moved_minimum")
    ),
    **dict.fromkeys(CLIENTS_ONLY, ("started_at", "stabilized_at", "partitions_moved", "partitions_moved_minimum")),
    **dict.fromkeys(OFFSETS_ONLY, ("reason_text", "trigger_member_id", "trigger_client_id")),
}


@pytest.mark.parametrize("cluster", UNKNOWN_COLUMNS)
def test_columns_that_a_source_does_not_report_are_null(rebalances: Rebalances, cluster: str) -> None:
    columns = UNKNOWN_COLUMNS[cluster]
    for row in rebalances(cluster).values():
        assert [row[name] for name in columns] == [None] * len(columns)


@pytest.mark.parametrize("cluster", OFFSETS_ONLY)
def test_the_offsets_topic_alone_gives_members_and_moved_partitions_but_no_reason(
    rebalances: Rebalances, sessions: Sessions, cluster: str
) -> None:
    rows, all_sources = rebalances(cluster), rebalances(whole_cluster(OFFSETS_ONLY[cluster]))
    same = ("group_type", "partitions_assigned", "partitions_moved", "partitions_moved_minimum", "members_after")
    assert set(rows) == set(all_sources)
    for key, row in rows.items():
        assert [row[name] for name in same] == [all_sources[key][name] for name in same]
        assert row.reason == "unknown"
        if row.group_type == "classic":
            assert row.started_at is None
            assert abs((row.stabilized_at - all_sources[key].stabilized_at).total_seconds()) < 0.01
    assert {row.ended_by for row in sessions(cluster)} == {None, "replaced"}


@pytest.fixture(scope="module")
def gold_of_single_sources(
    many_clusters_lake: Lake, new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory
) -> Lake:
    """The lake of many clusters with gold, all of whose tests pass."""
    job = new_job(Path(many_clusters_lake.uri), tmp_path_factory.mktemp("landing"))
    built = build_gold(job.lake, job.settings, job.run, force=set(), report=lambda _: None)
    assert built.failed_tests == ()
    return job.lake


def rows_of(lake: Lake, table: str, cluster: str) -> list[Row]:
    return lake.read(table).where(f"cluster = '{cluster}'").collect()


@pytest.mark.parametrize("cluster", {**CLIENTS_ONLY, **OFFSETS_ONLY})
def test_bounds_of_a_single_source_are_true_or_unknown(gold_of_single_sources: Lake, cluster: str) -> None:
    polled = polled_records(journal_entries({**CLIENTS_ONLY, **OFFSETS_ONLY}[cluster]))
    bounds = bounds_by_group([row.asDict() for row in rows_of(gold_of_single_sources, "gold.read_starts", cluster)])
    assert {group for group, twice in polled.twice.items() if bounds.at_least[group] > twice} == set()
    too_low = {
        group
        for group, twice in polled.twice.items()
        if bounds.at_most[group] < twice and group not in bounds.unbounded
    }
    # The offsets topic does not contain that a client sought, on purpose or after a transaction was aborted.
    assert too_low == ({"feature-store", "payments-enricher"} if cluster in OFFSETS_ONLY else set())
    assert {group for group, skipped in bounds.skipped.items() if skipped > polled.never[group]} == set()


@pytest.mark.parametrize("cluster", BROKER_ONLY)
def test_a_brokers_log_alone_does_not_say_who_read_next_and_what_it_cost(
    gold_of_single_sources: Lake, cluster: str
) -> None:
    assert rows_of(gold_of_single_sources, "gold.read_starts", cluster) == []
    costs = [
        row.cost
        for row in rows_of(gold_of_single_sources, "gold.findings", cluster)
        if row.kind in ("evicted", "poll_interval")
    ]
    assert len(costs) > 3
    assert [cost for cost in costs if "nknown" not in cost or "nobody" in cost.lower()] == []


def test_every_finding_of_a_single_source_is_complete(gold_of_single_sources: Lake) -> None:
    for cluster in {**BROKER_ONLY, **CLIENTS_ONLY, **OFFSETS_ONLY}:
        findings = rows_of(gold_of_single_sources, "gold.findings", cluster)
        assert len(findings) > 3
        for row in findings:
            assert all((row.title, row.evidence, row.cost, row.recommendation, row.expected_effect)), row
