"""One log out of copies; its holes; how transactions ended; the same, however the rows come in batches."""

import datetime as dt
import random
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest

from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.log_merge import merge_logs
from kafka_telemetry.offsets.log_pieces import START_POSITION, pack_pieces
from kafka_telemetry.spill import Spill

DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("cluster", "kind", "marker", "group_id", "topic", "metadata", "topic_id")),
        *((name, pa.string()) for name in ("member_id", "regular_expression", "value_json", "source_file")),
        *((name, pa.int32()) for name in ("offsets_partition", "key_type", "value_version", "partition_id")),
        *((name, pa.int32()) for name in ("leader_epoch", "batch_leader_epoch")),
        *((name, pa.int64()) for name in ("record_offset", "producer_id", "committed_offset", "source_position")),
        *((name, pa.bool_()) for name in ("tombstone", "transactional", "later", "whole")),
        *((name, pa.timestamp("us", "UTC")) for name in ("recorded_at", "committed_at", "expires_at")),
        *((name, pa.binary()) for name in ("key_bytes", "value_bytes")),
        *((name, pa.date32()) for name in ("delivered_on", "day")),
    ]
)
RECORD = {
    "cluster": "eu", "delivered_on": DAY, "day": DAY, "source_file": "a.log", "source_position": 0, "kind": "commit",
    "offsets_partition": 3, "recorded_at": NOON, "committed_at": NOON, "batch_leader_epoch": 1, "key_type": 1,
    "value_version": 3, "tombstone": False, "transactional": False, "group_id": "g", "topic": "t", "partition_id": 0,
    "metadata": "", "later": False,
}  # fmt: skip
Row = dict[str, Any]


def commit(offset: int, committed: int | None = 0, **more: object) -> Row:
    return {
        **RECORD,
        "record_offset": offset,
        "committed_offset": committed,
        "tombstone": committed is None,
        **more,
    }


def in_transaction(offset: int, producer: int, committed: int = 0, **more: object) -> Row:
    return commit(offset, committed, transactional=True, producer_id=producer, **more)


def marker(offset: int, end: str, producer: int, **more: object) -> Row:
    nothing = dict.fromkeys(("group_id", "topic", "partition_id", "committed_at", "key_type", "value_version"))
    told = {"kind": "marker", "marker": end, "producer_id": producer, "transactional": True, "record_offset": offset}
    return {**RECORD, **nothing, **told, **more}


def read(
    rows: Iterable[Row], *columns: str, batch: int = 1000, log_ends: pa.Table | None = None
) -> list[tuple[Any, ...]]:
    """Whole rows by these columns, in the order of the log; they come in batches of a size, in no order."""
    given = list(rows)
    batches = [
        pa.RecordBatch.from_pylist(given[start : start + batch], schema=SCHEMA) for start in range(0, len(given), batch)
    ]
    read_to = {(row["cluster"], row["offsets_partition"]): row.get("log_read_to") for row in given}
    pieces = [
        {**piece, "log_read_to": read_to[piece["cluster"], piece["offsets_partition"]]}
        for told in pack_pieces(batches, Spill())
        for piece in told.to_pylist()
    ]
    pieces.sort(key=lambda one: (one["cluster"], one["offsets_partition"] or -1, one["first_offset"]))
    in_pieces = [pa.RecordBatch.from_pylist(pieces[start : start + 2]) for start in range(0, len(pieces), 2)]
    place = ("cluster", "offsets_partition", "record_offset", "source_file", "source_position")
    tables = merge_logs(in_pieces, LogEnds(log_ends), Spill())
    found = [row for told in tables for row in told.select(list(dict.fromkeys([*place, *columns]))).to_pylist()]
    return [tuple(row[name] for name in columns) for row in sorted(found, key=in_place)]


def in_place(row: Row) -> list[tuple[bool, Any]]:
    place = ("cluster", "offsets_partition", "record_offset", "source_file", "source_position")
    return [(row[name] is not None, row[name]) for name in place]


def test_equal_copies_are_one_record_and_the_fuller_one_is_kept() -> None:
    rows = [
        commit(5, 100, source_file="poorer.txt", committed_at=None, metadata=None),
        commit(5, 100, source_file="b.log"),
        commit(5, 100, source_file="c.log"),
    ]
    assert read(rows, "source_file", "copies", "contradicted") == [("b.log", 3, False)]


def test_of_two_that_contradict_each_other_the_higher_leader_epoch_counts() -> None:
    rows = [
        commit(5, 100, source_file="old"),
        commit(5, 101, batch_leader_epoch=2, source_file="new"),
        commit(5, 101, batch_leader_epoch=None, source_file="without"),
    ]
    assert read(rows, "source_file", "committed_offset", "contradicted", "copies") == [
        ("new", 101, False, 2), ("old", 100, True, 1),
    ]  # fmt: skip


def test_of_equally_full_copies_the_first_delivered_is_kept() -> None:
    rows = [
        commit(5, 100, delivered_on=DAY + dt.timedelta(1), source_file="a.log"),
        commit(5, 100, source_file="z.log", source_position=9),
        commit(5, 100, source_file="z.log", source_position=8),
    ]
    assert read(rows, "source_file", "source_position", "copies") == [("z.log", 8, 3)]


def test_a_poorer_dump_of_a_group_contradicts_only_by_what_it_tells() -> None:
    whole = commit(0, kind="group", key_type=2, committed_at=None)
    poorer = {**whole, "value_version": None, "source_file": "dump.txt"}
    rows = [
        {**whole, "value_json": '{"generation":4,"members":[{"memberId":"a"}]}'},
        {**poorer, "value_json": '{"protocolType":"consumer","generation":4}'},
        {**poorer, "value_json": '{"protocolType":"consumer"}', "source_position": 2},
        {**poorer, "value_json": '{"protocolType":"consumer","generation":5}', "source_position": 1},
    ]
    assert read(rows, "source_file", "contradicted", "copies") == [("a.log", False, 3), ("dump.txt", True, 1)]


def test_a_transaction_ends_by_the_next_marker_of_its_producer() -> None:
    rows = [
        in_transaction(1, producer=7), in_transaction(2, producer=8), commit(3), marker(4, "abort", producer=8),
        marker(5, "commit", producer=7), in_transaction(6, producer=7),
    ]  # fmt: skip
    ended = [(1, "committed"), (2, "aborted"), (3, "none"), (4, "none"), (5, "none")]
    columns = ("record_offset", "transaction")
    assert read([*rows, marker(90, "abort", producer=9, later=True)], *columns) == [*ended, (6, "open")]
    assert read([*rows, marker(90, "commit", producer=7, later=True)], *columns) == [*ended, (6, "committed")]


def test_a_marker_that_is_contradicted_ends_nothing() -> None:
    rows = [
        in_transaction(1, producer=7),
        marker(2, "abort", producer=7, source_file="old"),
        marker(2, "commit", producer=7, batch_leader_epoch=2, source_file="new"),
    ]
    assert read(rows, "source_file", "transaction")[0] == ("a.log", "committed")


def test_holes_are_counted_from_where_the_log_was_read_to() -> None:
    rows = [commit(offset, log_read_to=9) for offset in (10, 11, 14, 14, 15, 20)]
    assert read(rows, "record_offset", "holes", "lost_before") == [
        (10, 0, 0), (11, 0, 0), (14, 1, 2), (15, 1, 0), (20, 2, 4),
    ]  # fmt: skip
    # Where the log was not read before, nobody knows where it began.
    assert read([commit(3), commit(5)], "holes", "lost_before") == [(1, None), (2, 1)]
    # What later days hold is no part of these.
    assert read([commit(0), marker(50, "commit", 7, later=True)], "holes") == [(0,)]


@pytest.mark.parametrize("seed", range(60))
def test_logs_are_read_as_one_record_after_the_other_would_be_however_they_come_in_batches(seed: int) -> None:
    rows = random_logs(random.Random(seed))
    columns = ("cluster", "offsets_partition", "record_offset", "source_file", "source_position", "copies", "contradicted", "holes", "transaction")  # fmt: skip
    expected = told_one_by_one(rows, columns)
    assert expected
    random.Random(seed).shuffle(rows)
    for batch in (1, 3, 1000):
        assert read(rows, *columns, batch=batch) == expected


def random_logs(chance: random.Random) -> list[Row]:
    rows: list[Row] = []
    for log in range(chance.randint(1, 3)):
        where = {
            "cluster": chance.choice(("eu", "us")),
            "offsets_partition": log or None,
            "log_read_to": chance.choice((None, 3)),
        }
        offset = 4
        for _ in range(chance.randint(1, 30)):
            offset += chance.choice((1, 1, 1, 3))
            producer = chance.randint(1, 2)
            kind = chance.choice(("plain", "transaction", "marker"))
            for copy in range(chance.choice((1, 1, 2, 3))):
                found = {**where, "source_file": chance.choice("ab"), "source_position": copy, "later": offset > 40,
                         "batch_leader_epoch": chance.choice((None, 1, 2))}  # fmt: skip
                if kind == "marker" or offset > 40:
                    found["later"] = offset > 40
                    rows.append(marker(offset, chance.choice(("commit", "commit", "abort")), producer, **found))
                elif kind == "transaction":
                    rows.append(in_transaction(offset, producer, **found))
                else:
                    metadata = chance.choice(("", "", None, "x"))
                    rows.append(commit(offset, chance.choice((1, 1, 2)), **{**found, "metadata": metadata}))
    # Of later days one copy of each marker is asked for.
    once = {(row["cluster"], row["offsets_partition"], row["record_offset"]): row for row in rows if row["later"]}
    return [row for row in rows if not row["later"]] + list(once.values())


def told_one_by_one(rows: list[Row], columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    content = [name for name in SCHEMA.names if name not in ("cluster", "offsets_partition", "record_offset", "source_file", "source_position", "delivered_on", "batch_leader_epoch", "later", "log_read_to", "transactional", "day")]  # fmt: skip
    found: list[Row] = []
    for log in {(row["cluster"], row["offsets_partition"]) for row in rows}:
        of_log = [row for row in rows if (row["cluster"], row["offsets_partition"]) == log]
        last = of_log[0]["log_read_to"]
        last, holes, kept = -1 if last is None else last, 0, []
        for offset in sorted({row["record_offset"] for row in of_log if not row["later"]}):
            holes, last = holes + (offset - last > 1), offset
            copies = sorted(
                (row for row in of_log if row["record_offset"] == offset),
                key=lambda row: (-(row["batch_leader_epoch"] or 0), -sum(row.get(name) is not None for name in content), row["source_file"], row["source_position"]),
            )  # fmt: skip
            best, *others = copies
            other = [one for one in others if any(None not in (one.get(name), best.get(name)) and one.get(name) != best.get(name) for name in content)]  # fmt: skip
            kept += [{**best, "copies": len(copies) - len(other), "contradicted": False, "holes": holes}]
            kept += [{**one, "copies": 1, "contradicted": True, "holes": holes} for one in other]
        markers = [row for row in [*kept, *(row for row in of_log if row["later"])] if row["kind"] == "marker" and not row.get("contradicted")]  # fmt: skip
        for row in kept:
            behind = [one for one in markers if one["producer_id"] == row.get("producer_id") and one["record_offset"] > row["record_offset"]]  # fmt: skip
            ends = min(behind, key=lambda one: one["record_offset"], default={"marker": None})["marker"]
            waits = row["transactional"] and row["kind"] != "marker"
            row["transaction"] = {"commit": "committed", "abort": "aborted", None: "open"}[ends] if waits else "none"
        found += kept
    return [tuple(row[name] for name in columns) for row in sorted(found, key=in_place)]


def standing(offset: int, committed: int | None, **more: object) -> Row:
    return {**commit(offset, committed), "kind": START_POSITION, "whole": True, **more}


BEFORE = ("previous_committed_offset", "previous_record_offset", "after_tombstone", "complete")


def test_the_position_before_a_commit_is_that_of_its_own_key_and_skips_what_never_counted() -> None:
    rows = [
        commit(1, 10), in_transaction(2, producer=7, committed=99), commit(3, 77, partition_id=1),
        marker(4, "abort", producer=7), commit(5, 20), commit(6, None), commit(7, 5), commit(8, 6, group_id="h"),
    ]  # fmt: skip
    assert read(rows, "record_offset", *BEFORE) == [
        (1, None, None, False, None), (2, 10, 1, False, True), (3, None, None, False, None), (4, None, None, None, None),
        (5, 10, 1, False, True), (6, 20, 5, False, True), (7, None, None, True, None), (8, None, None, False, None),
    ]  # fmt: skip


def test_the_days_start_from_what_stood() -> None:
    rows = [
        standing(7, 70), standing(8, None, partition_id=1), standing(9, 90, partition_id=2, whole=False),
        *(commit(11 + partition, 100, partition_id=partition, log_read_to=10) for partition in range(4)),
    ]  # fmt: skip
    assert read(rows, *BEFORE) == [
        (70, 7, False, True), (None, None, True, None), (90, 9, False, False), (None, None, False, None),
    ]  # fmt: skip


def test_who_is_told_behind_a_transaction_that_ends_late_is_not_known_to_follow_it() -> None:
    rows = [
        in_transaction(1, producer=7, committed=10), in_transaction(2, producer=7, committed=10, partition_id=1),
        commit(3, 20), commit(4, 20), marker(5, "commit", producer=7),
    ]  # fmt: skip
    columns = ("record_offset", "previous_is_known")
    assert read(rows, *columns)[:4] == [(1, True), (2, True), (3, True), (4, True)]
    assert read(rows, *columns, batch=1)[:4] == [(1, False), (2, True), (3, True), (4, True)]


@pytest.mark.parametrize("seed", range(40))
def test_positions_are_those_that_one_record_after_the_other_tells(seed: int) -> None:
    chance = random.Random(seed)
    rows = [
        {**row, "group_id": chance.choice("gh"), "topic": chance.choice("tu"), "partition_id": chance.choice((0, 1)),
         "committed_offset": chance.choice((None, *range(9))), "topic_id": chance.choice((None, "id")),
         "day": DAY + dt.timedelta(row["record_offset"] > 20)}
        if row["kind"] == "commit" else row
        for row in random_logs(chance)
    ]  # fmt: skip
    key = ("cluster", "offsets_partition", "group_id", "topic", "partition_id")
    asked = (*key, "day", "record_offset", "kind", "contradicted", "transaction", "committed_offset", "holes", "topic_id", *BEFORE)  # fmt: skip
    batch = chance.choice((1, 5, 1000))
    found = [dict(zip((*asked, "previous_is_known", "newest"), row, strict=True))
             for row in read(rows, *asked, "previous_is_known", "newest", batch=batch)]  # fmt: skip
    commits = [row for row in found if row["kind"] == "commit" and not row["contradicted"]]
    last: dict[tuple[Any, ...], Row] = {}
    stands: dict[tuple[Any, ...], Row] = {}
    named: dict[tuple[Any, ...], Row] = {}
    unknown = {tuple(row[name] for name in key) for row in commits if not row["previous_is_known"]}
    for row in commits:
        of = tuple(row[name] for name in key)
        before = last.get(of)
        position = before and before["committed_offset"]
        if of not in unknown:
            expected = (
                position,
                before["record_offset"] if before and position is not None else None,
                before is not None and position is None,
                before["holes"] == row["holes"] if before and position is not None else None,
            )
            assert tuple(row[name] for name in BEFORE) == expected
        if row["transaction"] in ("none", "committed"):
            last[of] = stands[*of, row["day"]] = row
            if row["topic_id"]:
                named[*of, row["day"]] = row
    assert all(row["newest"] for row in [*stands.values(), *named.values()])
    assert batch < 1000 or all(row["previous_is_known"] for row in commits if row["transaction"] != "open")


def test_a_commit_is_told_the_log_ends_nearest_to_it_an_hour_away_at_most() -> None:
    def at(minutes: int) -> dt.datetime:
        return NOON + dt.timedelta(minutes=minutes)

    seen = [("t", 0, at(0), 100), ("t", 0, at(200), 300), ("t", 0, at(10), 110), ("u", 0, at(5), 7)]
    ends = pa.table(
        {
            "cluster": ["eu"] * len(seen),
            "topic": [topic for topic, *_ in seen],
            "partition_id": pa.array([partition for _, partition, *_ in seen], pa.int32()),
            "sampled_at": pa.array([when for *_, when, _ in seen], pa.timestamp("us", "UTC")),
            "log_end_offset": [end for *_, end in seen],
        }
    )
    rows = [
        *(commit(number, number, committed_at=at(minutes))
          for number, minutes in enumerate((-61, -60, 0, 4, 10, 70, 71, 140, 200, 261))),
        commit(10, 1, committed_at=None, recorded_at=None), commit(11, 1, topic="unseen"), commit(12, 1, topic=None),
        commit(13, 1, committed_at=None, recorded_at=at(4)),
    ]  # fmt: skip
    assert read(rows, "record_offset", "log_end_before", "log_end_after", log_ends=ends) == [
        (0, None, None), (1, None, 100), (2, 100, 100), (3, 100, 110), (4, 110, 110), (5, 110, None),
        (6, None, None), (7, None, 300), (8, 300, 300), (9, None, None), (10, None, None), (11, None, None),
        (12, None, None), (13, 100, 110),
    ]  # fmt: skip


def test_a_dump_that_prints_no_commit_time_tells_when_the_record_was_written_unless_another_copy_knows() -> None:
    told, later = NOON + dt.timedelta(milliseconds=3), NOON + dt.timedelta(seconds=5)
    rows = [
        *(commit(0, 10, committed_at=None), commit(0, 10, recorded_at=NOON, committed_at=told, source_file="segment")),
        *(commit(1, 20, committed_at=None, recorded_at=later), commit(2, None, committed_at=None)),
    ]
    assert read(rows, "committed_at", "contradicted") == [(told, False), (later, False), (None, False)]
