"""Log lines in any order and with any values: a history never raises, and its rows fit their columns."""

import random
from typing import Any

import pytest
from support.history_events import broker, client, completes, joins, next_day, one_day, rebalances, recorded

from kafka_telemetry.groups.history.client_lines import GROUP_EVENTS
from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.history.log_event import LogEvent, parse_count
from kafka_telemetry.groups.history.member_ids import split_ids

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
LARGEST = 2**31 - 1
BROKER_EVENTS = (
    *("member_id_assigned", "member_joined", "static_member_joined", "member_left", "member_expired", "member_evicted"),
    *("sync_timed_out", "members_not_rejoined", "pending_member_left", "pending_member_expired", "group_dead"),
    *("static_member_replaced", "member_fenced", "group_deleted", "group_loaded", "preparing_rebalance"),
    *("stabilized", "epoch_bumped", "group_emptied", "assignment_received", "target_computed", "subscription_updated"),
)
CLIENT_EVENTS = (*GROUP_EVENTS, "member_state", "poll_timeout", "left")
COUNTS = ["", "-1", "x", "²", "٣", "1e9", str(LARGEST), str(LARGEST + 1), "9" * 23, "9" * 60_001, "0" * 60_001, "+1"]
DETAILS: dict[str, list[str]] = {
    "member_count": COUNTS,
    "epoch": COUNTS,
    "removed": ["", ", ", "a", f"a-{UUID}, b", f"-{UUID}", "," * 1000],
    "member_ids": ["", f"a-{UUID}, b-{UUID}"],
    "assignment": [
        "",
        "{",
        "{a=Assignment(partitions=[",
        "{a=Assignment(partitions=[t-0]), b=Assignment(partitions=[])}",
    ],
    "old_member_id": ["a", "b", ""],
    "current_member_id": ["a", "b", ""],
    "to_state": ["LEAVING", "STALE", "STABLE"],
    "from_state": ["JOINING", "x"],
    "error": ["FENCED_INSTANCE_ID"],
    "metadata_hash": ["0", "9" * 30],
    "group_kind": ["share", ""],
}
INT32_COLUMNS = (
    *("incarnation", "generation", "members_before", "members_after", "members_joined", "members_left"),
    *("members_evicted", "unobserved_before", "partitions_assigned"),
)


def any_line(chance: random.Random) -> LogEvent:
    side = chance.choice((broker, client))
    details = {name: chance.choice(values) for name, values in DETAILS.items() if chance.random() < 0.4}
    names: dict[str, Any] = {
        "client_id": chance.choice((None, "c", "d")),
        "instance_id": chance.choice((None, "i", "j")),
        "generation": chance.choice((None, 0, 1, 2, 3, LARGEST)),
        "reason": chance.choice((None, "poll_interval", "member_joined", "sync_timeout", "session_timeout", "odd")),
        "reason_text": chance.choice((None, "", "group is already rebalancing")),
        "group_kind": chance.choice((None, "share")),
    }
    event = chance.choice(BROKER_EVENTS if side is broker else CLIENT_EVENTS)
    return side(chance.randrange(20), event, chance.choice((None, "", "a", f"b-{UUID}")), details=details, **names)


@pytest.mark.parametrize("seed", range(150))
def test_no_order_of_lines_and_records_raises(seed: int) -> None:
    chance = random.Random(seed)
    history = GroupHistory()
    for _ in range(3):
        records = [
            recorded(chance.randrange(20), chance.choice((0, 1, 2, -5, LARGEST)), *chance.sample(["a", "b", "c"], 2))
            for _ in range(chance.randrange(4))
        ]
        day = history.add_day([any_line(chance) for _ in range(chance.randrange(60))], records)
        rows = [*day.rebalances, *next_day(history, [any_line(chance) for _ in range(20)]).rebalances]
        for row in rows:
            assert all(-LARGEST <= (row[name] or 0) <= LARGEST for name in INT32_COLUMNS), row


@pytest.mark.parametrize("count", COUNTS)
def test_a_number_of_members_that_is_none_is_unknown(count: str) -> None:
    day = one_day(
        *(joins(1, "a", 0), completes(2, 1, 1), joins(3, "b", 1)),
        broker(4, "stabilized", generation=2, details={"member_count": count}),
    )
    expected = {str(LARGEST): LARGEST, "0" * 60_001: 0}.get(count)
    assert [row["members_after"] for row in day.rebalances] == ([1, expected] if expected != 0 else [1])


def test_a_difference_of_members_that_no_column_holds_is_null() -> None:
    day = one_day(
        *(completes(1, 1, 0), broker(2, "member_left", "a"), completes(3, 2, LARGEST)),
    )
    assert rebalances(day, "generation", "members_after", "members_joined") == [(2, LARGEST, None)]


@pytest.mark.parametrize("epoch", COUNTS)
def test_an_epoch_that_is_none_is_no_generation(epoch: str) -> None:
    details = {"epoch": epoch, "from_state": "JOINING", "to_state": "STABLE"}
    day = one_day(client(1, "member_state", "a", client_id="c", details=details))
    assert [row["generation"] for row in day.rebalances] == ([LARGEST] if epoch == str(LARGEST) else [])


def test_counts_are_whole_numbers_of_32_bits() -> None:
    assert [parse_count(text) for text in (None, *COUNTS)] == [None] * 7 + [LARGEST] + [None] * 3 + [0, None]


def test_a_list_of_members_is_split_in_a_time_that_is_proportional_to_its_length() -> None:
    assert split_ids(f"a, b-{UUID}, c-{UUID}") == [f"a, b-{UUID}", f"c-{UUID}"]
    assert split_ids("a, b") == ["a", "b"]
    assert split_ids(f"a-{UUID}, " + "x" * 300_000) == [f"a-{UUID}"]
    assert len(split_ids("x-" * 300_000)) == 1
