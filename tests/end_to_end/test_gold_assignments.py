"""Assignments in gold of the recording of Kafka 4.3, compared with the journal of its applications."""

import pytest
from support.recorded_logs import groups_in_truth, journal
from support.sql_rows import sql_rows

from spark_jobs.lake.tables import Lake

GROUPS = groups_in_truth("kafka-4.3")

# (group, generation) -> partition -> (member id, client id)
Assignments = dict[tuple[str, int], dict[str, tuple[str, str]]]


@pytest.fixture(scope="module")
def journal_assignments() -> Assignments:
    """What the rebalance listeners of the applications were called with."""
    assignments: Assignments = {}
    for entry in journal("kafka-4.3"):
        if entry["event"] == "assigned":
            owners = assignments.setdefault((entry["group"], entry["generation"]), {})
            owners |= dict.fromkeys(entry["owned"], (entry["member_id"], entry["client"]))
    return assignments


def test_partitions_of_classic_groups_are_assigned_and_moved_as_their_members_saw_it(
    gold_lake: Lake, journal_assignments: Assignments
) -> None:
    # Members of KIP-848 groups reconcile a target step by step: the journal has what they owned, not the target.
    with_epochs = "select group_id from silver.group_generations where group_type != 'classic'"
    groups_with_epochs = {group for (group,) in sql_rows(gold_lake, with_epochs)}
    assigned, moved = set(), set()
    last_owners: dict[tuple[str, str], tuple[str, str]] = {}
    for (group, generation), owners in sorted(journal_assignments.items()):
        if group not in groups_with_epochs:
            for partition, (member, client) in owners.items():
                last_member, last_client = last_owners.get((group, partition), (member, client))
                assigned.add((group, generation, partition, member, client))
                if last_member != member:
                    moved.add((group, generation, partition, client, last_client))
                last_owners[group, partition] = member, client
    columns = "select group_id, generation, concat(topic, '-', partition_id),"
    found = sql_rows(gold_lake, f"{columns} member_id, client_id from gold.assignments")
    found_moved = sql_rows(
        gold_lake, f"{columns} client_id, moved_from_client_id from gold.assignments where moved_from_member_id != ''"
    )
    assert {row for row in found if row[0] in GROUPS and row[0] not in groups_with_epochs} == assigned
    assert {row for row in found_moved if row[0] not in groups_with_epochs} == moved
    assert len(assigned) > 200
    assert len(moved) > 50


def test_the_upgrade_to_a_kip_848_group_keeps_the_generation_and_moves_nothing(gold_lake: Lake) -> None:
    generations = (
        "select group_type, partitions_moved from silver.group_generations where group_id = 'customer-profile'"
    )
    assert sql_rows(gold_lake, f"{generations} and generation = 1") == {("classic", 0), ("consumer", 0)}
    assignors = "select assignor from gold.assignor_balance where group_id = 'customer-profile'"
    assert sql_rows(gold_lake, f"{assignors} and generation = 1") == {("cooperative-sticky",)}
    assert sql_rows(gold_lake, f"{assignors} and generation > 1") == {("uniform",)}


def test_every_generation_of_consumers_has_a_balance(gold_lake: Lake) -> None:
    balances = sql_rows(gold_lake, "select group_id, incarnation, generation, members from gold.assignor_balance")
    generations = "select group_id, incarnation, generation, member_count from silver.group_generations"
    assert balances == sql_rows(gold_lake, f"{generations} where protocol_type = 'consumer' and member_count > 0")
    assert len(balances) > 90


def test_groups_with_idle_members_are_those_of_the_journal(gold_lake: Lake) -> None:
    idle = {(group, len(facts["idle_members"])) for group, facts in GROUPS.items() if facts["idle_members"]}
    assert idle
    found = sql_rows(gold_lake, "select group_id, idle_members from gold.assignor_balance where idle_members > 0")
    assert found == idle


def test_range_gives_one_member_two_partitions_more_where_all_other_assignors_are_even(gold_lake: Lake) -> None:
    balance = "select assignor, spread, spread_possible from gold.assignor_balance"
    assert sql_rows(gold_lake, f"{balance} where group_id = 'orders-billing' and generation = 2") == {("range", 2, 0)}
    what_if = "select assignor, is_actual, spread from gold.assignor_what_if"
    assert sql_rows(gold_lake, f"{what_if} where group_id = 'orders-billing' and generation = 2") == {
        ("range", True, 2),
        ("roundrobin", False, 0),
        ("sticky", False, 0),
        # It withholds three partitions first, which their owner gives up.
        ("cooperative-sticky", False, 3),
        ("uniform", False, 0),
    }


def test_the_row_of_the_assignor_in_use_is_what_was_really_assigned(gold_lake: Lake) -> None:
    columns = "select group_id, generation, spread, idle_members, partitions_moved, round(rate_cv, 9)"
    in_use = sql_rows(gold_lake, f"{columns} from gold.assignor_what_if where is_actual and spread is not null")
    assert len(in_use) > 90
    generations = (
        "select group_id, generation, partitions_moved from silver.group_generations where what_if is not null"
    )
    assert in_use == sql_rows(
        gold_lake,
        f"{columns} from gold.assignor_balance join ({generations}) using (group_id, generation) where spread is not null",
    )


def test_only_cooperative_sticky_withholds_partitions(gold_lake: Lake) -> None:
    withholding = "select distinct assignor from gold.assignor_what_if where partitions_withheld > 0 and not is_actual"
    assert sql_rows(gold_lake, withholding) == {("cooperative-sticky",)}


def test_emptied_groups_have_the_spread_of_their_last_generation_with_members(gold_lake: Lake) -> None:
    groups = (
        "select group_id, spread from gold.group_health where state = 'empty' and group_type in ('classic', 'consumer')"
    )
    spreads = sql_rows(gold_lake, groups)
    last = "select group_id, max_by(spread, generation) as spread from gold.assignor_balance where spread is not null group by group_id"
    assert len(spreads) > 30
    assert spreads == sql_rows(
        gold_lake, f"select group_id, last.spread from ({groups}) join ({last}) as last using (group_id)"
    )


def test_restarts_that_static_membership_spared_or_would_have_spared_are_those_of_the_journal(gold_lake: Lake) -> None:
    restarts = (
        "select distinct group_id, static_membership from gold.member_sessions where static_membership is not null"
    )
    assert sql_rows(gold_lake, restarts) == {
        ("pricing-engine", "spared"),
        ("rates-cache", "spared"),
        *((group, "would have spared") for group, facts in GROUPS.items() if "out-of-range" in facts["scenarios"]),
    }


def test_a_static_member_is_away_from_the_close_of_its_process_until_it_returns(gold_lake: Lake) -> None:
    events = [e for e in journal("kafka-4.3") if e["group"] in ("pricing-engine", "rates-cache")]
    closed = {e["member_id"]: e["ts"] for e in events if e["event"] == "close"}
    joined = "select member_id, unix_millis(min(joined_at)) from gold.member_sessions group by member_id"
    joined_at = dict(sql_rows(gold_lake, joined))
    replaced = "select member_id, next_member_id, back_after_ms from gold.member_sessions where ended_by = 'replaced'"
    restarts = sql_rows(gold_lake, replaced)
    assert len(restarts) == 2
    for member_id, next_member_id, back_after_ms in restarts:
        assert abs(back_after_ms - (joined_at[next_member_id] - closed[member_id])) < 100
        assert back_after_ms > 5_000
