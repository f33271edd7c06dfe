"""One log from its copies: holes, how transactions ended, and the same result however the rows are batched."""

import datetime as dt
import random
from typing import Any

import pytest
from support.offsets_log_rows import (
    DAY,
    NOON,
    SCHEMA,
    Row,
    commit,
    in_transaction,
    log_order,
    marker,
    merge,
    random_logs,
)


def test_equal_copies_become_one_record_with_the_fullest_content() -> None:
    rows = [
        commit(5, 100, source_file="poorer.txt", committed_at=None, metadata=None),
        commit(5, 100, source_file="b.log"),
        commit(5, 100, source_file="c.log"),
    ]
    assert merge(rows, "source_file", "copies", "contradicted") == [("b.log", 3, False)]


def test_of_two_contradicting_copies_the_one_of_the_later_leader_epoch_counts() -> None:
    rows = [
        commit(5, 100, source_file="old"),
        commit(5, 101, batch_leader_epoch=2, source_file="new"),
        commit(5, 101, batch_leader_epoch=None, source_file="without"),
    ]
    assert merge(rows, "source_file", "committed_offset", "contradicted", "copies") == [
        ("new", 101, False, 2), ("old", 100, True, 1),
    ]  # fmt: skip


def test_of_equally_full_copies_the_first_delivered_represents_the_record() -> None:
    rows = [
        commit(5, 100, delivered_on=DAY + dt.timedelta(1), source_file="a.log"),
        commit(5, 100, source_file="z.log", source_position=9),
        commit(5, 100, source_file="z.log", source_position=8),
    ]
    assert merge(rows, "source_file", "source_position", "copies") == [("z.log", 8, 3)]


def test_a_partial_dump_of_a_group_contradicts_only_by_the_fields_that_it_prints() -> None:
    complete = commit(0, kind="group", key_type=2, committed_at=None)
    partial = {**complete, "value_version": None, "source_file": "dump.txt"}
    rows = [
        {**complete, "value_json": '{"generation":4,"members":[{"memberId":"a"}]}'},
        {**partial, "value_json": '{"protocolType":"consumer","generation":4}'},
        {**partial, "value_json": '{"protocolType":"consumer"}', "source_position": 2},
        {**partial, "value_json": '{"protocolType":"consumer","generation":5}', "source_position": 1},
    ]
    assert merge(rows, "source_file", "contradicted", "copies") == [("a.log", False, 3), ("dump.txt", True, 1)]


def test_a_transaction_ends_with_the_next_marker_of_its_producer() -> None:
    rows = [
        in_transaction(1, producer=7), in_transaction(2, producer=8), commit(3), marker(4, "abort", producer=8),
        marker(5, "commit", producer=7), in_transaction(6, producer=7),
    ]  # fmt: skip
    ended = [(1, "committed"), (2, "aborted"), (3, "none"), (4, "none"), (5, "none")]
    columns = ("record_offset", "transaction")
    assert merge([*rows, marker(90, "abort", producer=9, later=True)], *columns) == [*ended, (6, "open")]
    assert merge([*rows, marker(90, "commit", producer=7, later=True)], *columns) == [*ended, (6, "committed")]


def test_a_contradicted_marker_ends_no_transaction() -> None:
    rows = [
        in_transaction(1, producer=7),
        marker(2, "abort", producer=7, source_file="old"),
        marker(2, "commit", producer=7, batch_leader_epoch=2, source_file="new"),
    ]
    assert merge(rows, "source_file", "transaction")[0] == ("a.log", "committed")


def test_holes_are_counted_from_the_last_offset_read_before() -> None:
    rows = [commit(offset, log_read_to=9) for offset in (10, 11, 14, 14, 15, 20)]
    assert merge(rows, "record_offset", "holes", "lost_before") == [
        (10, 0, 0), (11, 0, 0), (14, 1, 2), (15, 1, 0), (20, 2, 4),
    ]  # fmt: skip
    # Where the log was not read before, its start is unknown.
    assert merge([commit(3), commit(5)], "holes", "lost_before") == [(1, None), (2, 1)]
    # Records of later days do not belong to these days.
    assert merge([commit(0), marker(50, "commit", 7, later=True)], "holes") == [(0,)]


def test_a_missing_commit_time_is_the_time_of_the_record_unless_another_copy_has_one() -> None:
    committed_at, recorded_at = NOON + dt.timedelta(milliseconds=3), NOON + dt.timedelta(seconds=5)
    rows = [
        commit(0, 10, committed_at=None),
        commit(0, 10, recorded_at=NOON, committed_at=committed_at, source_file="segment"),
        commit(1, 20, committed_at=None, recorded_at=recorded_at),
        commit(2, None, committed_at=None),
    ]
    assert merge(rows, "committed_at", "contradicted") == [(committed_at, False), (recorded_at, False), (None, False)]


@pytest.mark.parametrize("seed", range(60))
def test_random_logs_merge_as_record_by_record_whatever_the_batch_size(seed: int) -> None:
    rows = random_logs(random.Random(seed))
    columns = ("cluster", "offsets_partition", "record_offset", "source_file", "source_position", "copies", "contradicted", "holes", "transaction")  # fmt: skip
    expected = merge_record_by_record(rows, columns)
    assert expected
    random.Random(seed).shuffle(rows)
    for batch in (1, 3, 1000):
        assert merge(rows, *columns, batch=batch) == expected


def merge_record_by_record(rows: list[Row], columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    content = [name for name in SCHEMA.names if name not in ("cluster", "offsets_partition", "record_offset", "source_file", "source_position", "delivered_on", "batch_leader_epoch", "later", "log_read_to", "transactional", "day")]  # fmt: skip
    result: list[Row] = []
    for log in {(row["cluster"], row["offsets_partition"]) for row in rows}:
        of_log = [row for row in rows if (row["cluster"], row["offsets_partition"]) == log]
        read_to = of_log[0]["log_read_to"]
        last, holes, merged = -1 if read_to is None else read_to, 0, []
        for offset in sorted({row["record_offset"] for row in of_log if not row["later"]}):
            holes, last = holes + (offset - last > 1), offset
            copies = sorted(
                (row for row in of_log if row["record_offset"] == offset),
                key=lambda row: (-(row["batch_leader_epoch"] or 0), -sum(row.get(name) is not None for name in content), row["source_file"], row["source_position"]),
            )  # fmt: skip
            best, *others = copies
            different = [row for row in others if any(None not in (row.get(name), best.get(name)) and row.get(name) != best.get(name) for name in content)]  # fmt: skip
            merged += [{**best, "copies": len(copies) - len(different), "contradicted": False, "holes": holes}]
            merged += [{**row, "copies": 1, "contradicted": True, "holes": holes} for row in different]
        markers = [row for row in [*merged, *(row for row in of_log if row["later"])] if row["kind"] == "marker" and not row.get("contradicted")]  # fmt: skip
        for row in merged:
            next_markers = [other for other in markers if other["producer_id"] == row.get("producer_id") and other["record_offset"] > row["record_offset"]]  # fmt: skip
            end = min(next_markers, key=lambda other: other["record_offset"], default={"marker": None})["marker"]
            pending = row["transactional"] and row["kind"] != "marker"
            row["transaction"] = {"commit": "committed", "abort": "aborted", None: "open"}[end] if pending else "none"
        result += merged
    return [tuple(row[name] for name in columns) for row in sorted(result, key=log_order)]
