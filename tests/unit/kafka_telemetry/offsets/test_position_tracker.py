"""The position before each commit of a log, and the newest commit of each day."""

import datetime as dt
import random
from typing import Any

import pytest
from support.offsets_log_rows import DAY, Row, commit, in_transaction, marker, merge, random_logs, start_position

PREVIOUS = ("previous_committed_offset", "previous_record_offset", "after_tombstone", "complete")


def test_the_previous_position_is_of_the_same_key_and_skips_aborted_transactions() -> None:
    rows = [
        commit(1, 10), in_transaction(2, producer=7, committed=99), commit(3, 77, partition_id=1),
        marker(4, "abort", producer=7), commit(5, 20), commit(6, None), commit(7, 5), commit(8, 6, group_id="h"),
    ]  # fmt: skip
    assert merge(rows, "record_offset", *PREVIOUS) == [
        (1, None, None, False, None), (2, 10, 1, False, True), (3, None, None, False, None), (4, None, None, None, None),
        (5, 10, 1, False, True), (6, 20, 5, False, True), (7, None, None, True, None), (8, None, None, False, None),
    ]  # fmt: skip


def test_the_first_commit_of_the_days_follows_the_start_position_of_its_key() -> None:
    rows = [
        start_position(7, 70), start_position(8, None, partition_id=1),
        start_position(9, 90, partition_id=2, whole=False),
        *(commit(11 + partition, 100, partition_id=partition, log_read_to=10) for partition in range(4)),
    ]  # fmt: skip
    assert merge(rows, *PREVIOUS) == [
        (70, 7, False, True), (None, None, True, None), (90, 9, False, False), (None, None, False, None),
    ]  # fmt: skip


def test_the_previous_position_of_a_late_transaction_is_unknown_where_later_commits_were_returned_before() -> None:
    rows = [
        in_transaction(1, producer=7, committed=10), in_transaction(2, producer=7, committed=10, partition_id=1),
        commit(3, 20), commit(4, 20), marker(5, "commit", producer=7),
    ]  # fmt: skip
    columns = ("record_offset", "previous_is_known")
    assert merge(rows, *columns)[:4] == [(1, True), (2, True), (3, True), (4, True)]
    assert merge(rows, *columns, batch=1)[:4] == [(1, False), (2, True), (3, True), (4, True)]


@pytest.mark.parametrize("seed", range(40))
def test_previous_positions_of_random_logs_are_those_found_record_by_record(seed: int) -> None:
    chance = random.Random(seed)
    rows = [
        {**row, "group_id": chance.choice("gh"), "topic": chance.choice("tu"), "partition_id": chance.choice((0, 1)),
         "committed_offset": chance.choice((None, *range(9))), "topic_id": chance.choice((None, "id")),
         "day": DAY + dt.timedelta(row["record_offset"] > 20)}
        if row["kind"] == "commit" else row
        for row in random_logs(chance)
    ]  # fmt: skip
    key = ("cluster", "offsets_partition", "group_id", "topic", "partition_id")
    columns = (*key, "day", "record_offset", "kind", "contradicted", "transaction", "committed_offset", "holes", "topic_id", *PREVIOUS, "previous_is_known", "newest")  # fmt: skip
    batch = chance.choice((1, 5, 1000))
    merged = [dict(zip(columns, row, strict=True)) for row in merge(rows, *columns, batch=batch)]
    commits = [row for row in merged if row["kind"] == "commit" and not row["contradicted"]]
    last: dict[tuple[Any, ...], Row] = {}
    newest: dict[tuple[Any, ...], Row] = {}
    newest_with_topic_id: dict[tuple[Any, ...], Row] = {}
    unknown = {tuple(row[name] for name in key) for row in commits if not row["previous_is_known"]}
    for row in commits:
        key_of_row = tuple(row[name] for name in key)
        before = last.get(key_of_row)
        position = before and before["committed_offset"]
        if key_of_row not in unknown:
            expected = (
                position,
                before["record_offset"] if before and position is not None else None,
                before is not None and position is None,
                before["holes"] == row["holes"] if before and position is not None else None,
            )
            assert tuple(row[name] for name in PREVIOUS) == expected
        if row["transaction"] in ("none", "committed"):
            last[key_of_row] = newest[*key_of_row, row["day"]] = row
            if row["topic_id"]:
                newest_with_topic_id[*key_of_row, row["day"]] = row
    assert all(row["newest"] for row in [*newest.values(), *newest_with_topic_id.values()])
    assert batch < 1000 or all(row["previous_is_known"] for row in commits if row["transaction"] != "open")
