"""Gold of the recording of Kafka 4.3, against what the applications wrote in their journal."""

import datetime as dt
import io
import json
import os
from collections.abc import Iterator, Set
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard

from spark_jobs.errors import UserError
from spark_jobs.gold.build_gold import BuiltGold, build_gold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake

RECORDING = Path(__file__).parent.parent / "recorded" / "kafka-4.3"
TRUTH = json.loads((RECORDING / "truth.json").read_text("utf-8"))["groups"]
DAY = dt.date(2026, 11, 18)


def dbt_of(job: Job) -> DbtRunner:
    return DbtRunner(job.lake, job.settings)


def build(job: Job, force: Set[tuple[str, dt.date]] = frozenset()) -> BuiltGold:
    return build_gold(job.lake, job.settings, Run.begin(), force=force, report=lambda _: None)


@pytest.fixture(scope="module")
def lake(recorded_gold: tuple[Job, BuiltGold]) -> Lake:
    dbt_of(recorded_gold[0]).register_tables()
    return recorded_gold[0].lake


def journal() -> Iterator[dict[str, Any]]:
    packed = io.BytesIO((RECORDING / "truth.jsonl.zst").read_bytes())
    yield from map(json.loads, io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8"))


def asked(lake: Lake, question: str) -> set[tuple[object, ...]]:
    return {tuple(row) for row in lake.spark.sql(question).collect()}


def test_all_checks_hold_on_the_recording(recorded_gold: tuple[Job, BuiltGold]) -> None:
    assert recorded_gold[1] == BuiltGold(days=(DAY,), failed_tests=())


def test_what_stands_is_not_made_again(recorded_gold: tuple[Job, BuiltGold]) -> None:
    assert build(recorded_gold[0]) == BuiltGold(days=(), failed_tests=())


def test_regressions_are_those_of_the_journal(lake: Lake) -> None:
    journal = {
        (group, regression["partition"], regression["from"], regression["to"])
        for group, told in TRUTH.items()
        for regression in told["regressions"] or ()
    }
    found = "select group_id, concat(topic, '-', partition_id), previous_offset, committed_offset from gold.commit_gaps"
    assert len(journal) == 7
    assert asked(lake, f"{found} where kind = 'regression'") == journal


def test_the_cause_of_a_regression_is_told_where_commits_tell_it(lake: Lake) -> None:
    assert asked(lake, "select distinct group_id, cause from gold.commit_gaps where kind = 'regression'") == {
        ("ledger-export", "async_retry"),
        ("feature-store", "replay"),
        ("manual-ops", "reset"),
    }


def test_commits_belong_to_the_client_that_made_them_and_of_eager_groups_to_its_generation(lake: Lake) -> None:
    made: dict[tuple[str, str, int], set[tuple[str, int | None]]] = {}
    for entry in journal():
        if entry["event"] == "commit" and entry["result"] == "ok":
            for partition, offset in entry["offsets"].items():
                made.setdefault((entry["group"], partition, offset), set()).add(
                    (entry["client"], entry.get("generation"))
                )
    commits = "select group_id, concat(topic, '-', partition_id), committed_offset, owner_client_id, generation from gold.commit_gaps"
    told = [row for row in lake.spark.sql(commits).collect() if tuple(row[:3]) in made]
    simple = {row for row in told if row.group_id == "batch-reconciler"}
    # Members of cooperative and KIP-848 groups learn a generation later than the group has it.
    later = {row.group_id for row in lake.spark.sql("select distinct group_id from gold.rebalances where group_type != 'classic' or assignor = 'cooperative-sticky'").collect()}  # fmt: skip
    assert len(told) > 2_000
    assert simple
    assert later
    for row in told:
        clients = {client for client, _ in made[tuple(row[:3])]}
        generations = {generation for _, generation in made[tuple(row[:3])]} - {None}
        if row in simple:
            assert (row.owner_client_id, row.generation) == (None, None)
        else:
            assert row.owner_client_id in clients, row
            assert row.group_id in later or not generations or row.generation in generations, row


def test_partitions_that_stay_one_behind_are_those_of_the_journal(lake: Lake) -> None:
    journal = {(group, partition) for group, told in TRUTH.items() for partition in told["off_by_one"] or ()}
    assert journal
    assert asked(lake, "select group_id, subject from gold.findings where kind = 'off_by_one'") == journal


def test_a_commit_past_the_log_end_is_a_critical_finding_and_no_position(lake: Lake) -> None:
    journal = {(group, at["partition"]) for group, told in TRUTH.items() for at in told["beyond_log_end"] or ()}
    found = "select group_id, subject from gold.findings where kind = 'commit_past_log_end' and severity = 'critical'"
    position = "select last_committed_offset, commits_rejected from gold.commit_health"
    assert journal == {("backfill-job", "backfill-0")}
    assert asked(lake, found) == journal
    assert asked(lake, f"{position} where group_id = 'backfill-job' and partition_id = 0") == {(None, 1)}


def test_those_who_fell_silent_were_fenced_or_did_not_poll_are_found_as_the_journal_has_them(lake: Lake) -> None:
    kinds = {
        "evicted": "session_expiries_expected",
        "fenced": "fenced",
        "poll_interval": "poll_timeout_leaves_expected",
        "idle_members": "idle_members",
        "aborted_transactions": "aborted_transactions",
    }
    for kind, name in kinds.items():
        journal = {(group,) for group, told in TRUTH.items() if told.get(name)}
        assert journal
        assert asked(lake, f"select group_id from gold.findings where kind = '{kind}'") == journal, kind


def test_what_was_read_past_or_could_not_be_read_is_critical_and_nothing_else_is(lake: Lake) -> None:
    out_of_range = {(group, "skipped_records") for group, told in TRUTH.items() if "out-of-range" in told["scenarios"]}
    refused = {("geo-lookup-fast", "cannot_join"), ("geo-lookup-strict", "setting")}
    assert len(out_of_range) == 3
    assert asked(lake, "select group_id, kind from gold.findings where severity = 'critical'") == {
        *out_of_range,
        *refused,
        ("backfill-job", "commit_past_log_end"),
    }
    # From where to where its client's journal was taken, past what retention had deleted.
    leapt = "select title from gold.findings where kind = 'skipped_records' and group_id = 'archive-writer'"
    polls = [entry for entry in journal() if entry["event"] == "poll" and entry["group"] == "archive-writer"]
    read = [(e["first"]["sensor-readings-0"], e["position"]["sensor-readings-0"]) for e in polls if "sensor-readings-0" in e["first"]]  # fmt: skip
    [skipped] = [first - before for (_, before), (first, _) in pairwise(read) if first > before]
    assert asked(lake, leapt) == {
        (f"archive-writer went on reading sensor-readings-0 {skipped:,} records further than it had read",)
    }


def test_a_group_that_another_assignor_would_serve_more_evenly_is_told_which(lake: Lake) -> None:
    found = "select group_id, recommendation from gold.findings where kind = 'uneven_assignment'"
    assert asked(lake, found) == {("orders-billing", "Use the assignor cooperative-sticky")}


def test_restarts_that_static_membership_spared_or_would_have_spared_are_those_of_the_journal(lake: Lake) -> None:
    told = "select distinct group_id, static_membership from gold.member_sessions where static_membership is not null"
    assert asked(lake, told) == {
        ("pricing-engine", "spared"),
        ("rates-cache", "spared"),
        *((group, "would have spared") for group, of in TRUTH.items() if "out-of-range" in of["scenarios"]),
    }


def test_last_positions_are_those_that_the_broker_told_at_the_end(lake: Lake) -> None:
    broker = {
        (group, partition, offset)
        for group, told in TRUTH.items()
        for partition, offset in (told["committed_at_end_by_broker"] or {}).items()
        if (group, partition) != ("backfill-job", "backfill-0")
    }
    found = "select group_id, concat(topic, '-', partition_id), last_committed_offset from gold.commit_health"
    groups = ", ".join(f"'{group}'" for group in TRUTH)
    assert broker
    assert asked(lake, f"{found} where last_committed_offset is not null and group_id in ({groups})") == broker


def test_groups_that_commit_automatically_or_in_transactions_are_recognised(lake: Lake) -> None:
    found = "select distinct group_id, commit_style, expected_interval_ms from gold.commit_health"
    assert asked(lake, f"{found} where commit_style in ('auto', 'transactional')") == {
        ("clickstream-sessions", "auto", 5000),
        ("shipping-eta", "auto", 5000),
        ("payments-enricher", "transactional", None),
    }


@pytest.fixture(scope="module")
def journal_of_assignments() -> dict[tuple[str, int], dict[str, tuple[str, str]]]:
    """(group, generation) -> partition -> (member, client), as the applications' listeners were told."""
    told: dict[tuple[str, int], dict[str, tuple[str, str]]] = {}
    for entry in journal():
        if entry["event"] == "assigned":
            owned = told.setdefault((entry["group"], entry["generation"]), {})
            owned |= dict.fromkeys(entry["owned"], (entry["member_id"], entry["client"]))
    return told


def test_partitions_are_assigned_and_moved_as_the_members_of_classic_groups_saw_it(
    lake: Lake, journal_of_assignments: dict[tuple[str, int], dict[str, tuple[str, str]]]
) -> None:
    # Members of KIP-848 groups take over a target bit by bit: their journal is of what they had, and not of the target.
    by_epoch = {group for (group,) in asked(lake, "select group_id from silver.group_generations where group_type != 'classic'")}  # fmt: skip
    owned, moved = set(), set()
    last: dict[tuple[str, str], tuple[str, str]] = {}
    for (group, generation), told in sorted(journal_of_assignments.items()):
        if group not in by_epoch:
            for partition, (member, client) in told.items():
                before = last.get((group, partition), (member, client))
                owned.add((group, generation, partition, member, client))
                if before[0] != member:
                    moved.add((group, generation, partition, client, before[1]))
                last[group, partition] = member, client
    rows = "select group_id, generation, concat(topic, '-', partition_id),"
    kept = {row for row in asked(lake, f"{rows} member_id, client_id from gold.assignments") if row[0] in TRUTH}
    went = asked(lake, f"{rows} client_id, moved_from_client_id from gold.assignments where moved_from_member_id != ''")
    assert {row for row in kept if row[0] not in by_epoch} == owned
    assert {row for row in went if row[0] not in by_epoch} == moved
    assert len(owned) > 200
    assert len(moved) > 50


def test_becoming_a_kip_848_group_is_one_generation_and_moves_nothing(lake: Lake) -> None:
    told = "select group_type, partitions_moved from silver.group_generations where group_id = 'customer-profile'"
    assert asked(lake, f"{told} and generation = 1") == {("classic", 0), ("consumer", 0)}
    used = "select assignor from gold.assignor_balance where group_id = 'customer-profile'"
    assert asked(lake, f"{used} and generation = 1") == {("cooperative-sticky",)}
    assert asked(lake, f"{used} and generation > 1") == {("uniform",)}


def test_every_generation_of_consumers_is_weighed_and_idle_members_are_those_of_the_journal(lake: Lake) -> None:
    weighed = asked(lake, "select group_id, incarnation, generation, members from gold.assignor_balance")
    told = "select group_id, incarnation, generation, member_count from silver.group_generations"
    assert weighed == asked(lake, f"{told} where protocol_type = 'consumer' and member_count > 0")
    assert len(weighed) > 90
    idle = {(group, len(told["idle_members"])) for group, told in TRUTH.items() if told["idle_members"]}
    assert idle
    assert asked(lake, "select group_id, idle_members from gold.assignor_balance where idle_members > 0") == idle


def test_the_books_case_is_two_apart_by_range_and_even_by_roundrobin(lake: Lake) -> None:
    balance = "select assignor, spread, spread_possible from gold.assignor_balance"
    assert asked(lake, f"{balance} where group_id = 'orders-billing' and generation = 2") == {("range", 2, 0)}
    what_if = "select assignor, is_actual, spread from gold.assignor_what_if"
    assert asked(lake, f"{what_if} where group_id = 'orders-billing' and generation = 2") == {
        ("range", True, 2),
        ("roundrobin", False, 0),
        ("sticky", False, 0),
        ("cooperative-sticky", False, 0),
        ("uniform", False, 0),
    }


def test_what_range_and_roundrobin_would_have_given_is_what_they_gave(lake: Lake) -> None:
    given = "select group_id, generation, spread, idle_members, partitions_moved, round(rate_cv, 9)"
    classic = "assignor in ('range', 'roundrobin') and group_id not in ('inventory-forecast')"
    computed = asked(lake, f"{given} from gold.assignor_what_if where is_actual and {classic}")
    moved = "select * from silver.group_generations where partitions_moved is not null"
    assert len(computed) > 50
    assert computed == asked(
        lake,
        f"{given} from gold.assignor_balance join ({moved}) using (group_id, generation, assignor) where {classic}",
    )


def test_coverage_counts_every_record_and_every_copy_once(lake: Lake) -> None:
    receipts = "select source, sum(records), sum(understood), sum(not_understood), sum(ignored) from"
    copies = "select cast(sum(rows_duplicate) as bigint), cast(sum(rows_rejected) as bigint) from quality.runs"
    assert asked(lake, f"{receipts} gold.coverage group by all") == asked(lake, f"{receipts} bronze.files group by all")
    assert asked(lake, "select sum(duplicates), sum(rejected) from gold.coverage") == asked(
        lake, f"{copies} where layer = 'silver'"
    )


def test_rows_that_come_twice_fail_a_check_and_are_gone_when_the_day_is_made_again(
    recorded_gold: tuple[Job, BuiltGold],
) -> None:
    job, lake = recorded_gold[0], recorded_gold[0].lake
    tables = (
        *("assignments", "assignor_balance", "assignor_what_if"),
        *("commit_gaps", "commit_health", "coverage", "findings", "group_health", "group_story"),
    )
    before = {table: sorted(map(str, lake.read(f"gold.{table}").collect())) for table in tables}
    assert all(before.values())
    lake.spark.sql("insert into gold.commit_gaps select * from gold.commit_gaps where kind = 'regression'")
    with dbt_of(job).environment([DAY]):
        failed = dbt_of(job).failed_tests()
    assert failed == (
        "commit_gaps_holds (one row per cluster, group_id, topic, partition_id, committed_at, record_offset: 7 rows)",
    )
    (cluster,) = {row.cluster for row in lake.read("gold.coverage").collect()}
    assert build(job, force={(cluster, DAY)}) == BuiltGold(days=(DAY,), failed_tests=())
    assert {table: sorted(map(str, lake.read(f"gold.{table}").collect())) for table in tables} == before


def test_what_dbt_cannot_do_is_said_in_one_sentence(recorded_gold: tuple[Job, BuiltGold]) -> None:
    job = recorded_gold[0]
    with (
        dbt_of(job).environment([DAY]),
        pytest.raises(UserError, match="gold can't be built: dbt says No such option"),
    ):
        dbt_of(job).results("run", "--no-such-option")


def test_every_sentence_of_a_definition_holds_in_its_unit_test(recorded_gold: tuple[Job, BuiltGold]) -> None:
    dbt = dbt_of(recorded_gold[0])
    with dbt.environment([DAY]):
        results = dbt.results("test", "--select", "test_type:unit")
    assert len(results) >= 15
    assert {result.node.name: result.message for result in results if result.status != "pass"} == {}
    assert "LAGOON_DAYS" not in os.environ
