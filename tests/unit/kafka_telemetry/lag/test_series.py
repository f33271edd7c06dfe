"""Samples and log ends from readings, and random readings compared with a row-by-row computation."""

import datetime as dt
import itertools
import random
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest

from kafka_telemetry.lag.series import build_series

NOON = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
TIME = pa.timestamp("us", "UTC")
KEY = {"cluster": pa.string(), "day": pa.date32(), "reporter": pa.string(), "sampled_at": TIME, "topic": pa.string(), "partition_id": pa.int32()}  # fmt: skip
ENDS = {"log_start_offset": pa.int64(), "log_end_offset": pa.int64()}
READING = {
    **KEY, **ENDS, "kind": pa.string(), "group_id": pa.string(), "committed_offset": pa.int64(), "reported_lag": pa.int64(),
    "reported_lag_ms": pa.int64(), "lag_meaning": pa.string(), "owner_member_id": pa.string(), "client_id": pa.string(),
    "client_host": pa.string(), "delivered_on": pa.date32(), "source_file": pa.string(), "source_position": pa.int64(),
    "requested": pa.bool_(),
}  # fmt: skip
COMPUTED = {
    "lag": pa.int64(), "known_log_start_offset": pa.int64(), "next_log_start_offset": pa.int64(), "previous_log_end_offset": pa.int64(),
    "other_log_end_offset": pa.int64(), "log_ended_at": TIME, "next_sampled_at": TIME, "unchanged_since": TIME,
    "left_out_since": TIME, "generation_changed_at": TIME, "copies": pa.int64(),
}  # fmt: skip
SCHEMA = pa.schema(
    [
        ("sample", pa.struct([*{**READING, **COMPUTED}.items()])),
        ("log_end", pa.struct([*{**KEY, **ENDS}.items()])),
    ]
)
Row = dict[str, Any]


def reading(at: dt.datetime, end: int | None = None, **more: Any) -> Row:
    row = {"cluster": "c", "reporter": "d", "topic": "t", "partition_id": 0, "kind": "group_offset", "group_id": "g"}
    row |= {"delivered_on": at.date(), "source_file": "f", "source_position": 0, "requested": True}
    return {**row, "sampled_at": at, "day": at.date(), "log_end_offset": end, **more}


def series(rows: list[Row], kind: str = "sample", batch: int = 1000, **changes: list[dt.datetime]) -> list[Row]:
    table = pa.Table.from_pylist(rows, schema=pa.schema(list(READING.items())))
    changed_at = {("c", group): [round(at.timestamp() * 1e6) for at in times] for group, times in changes.items()}
    batches = build_series(table.to_batches(max_chunksize=batch), changed_at, SCHEMA)
    return [row for result in batches for row in result[kind].to_pylist() if row is not None]


def test_the_time_when_the_log_ended_at_the_position_is_interpolated_between_two_ends_of_the_reporter() -> None:
    def at(hour: int, minute: int, day: int = 2) -> dt.datetime:
        return dt.datetime(2026, 1, day, hour, minute, tzinfo=dt.UTC)

    ends = [
        reading(time, end, kind="log_offset", group_id=None, reporter=reporter, requested=time.day == 2)
        for time, end, reporter in (
            (at(23, 59, 1), 10, "d"), (at(0, 0), 100, "d"), (at(0, 1), 200, "d"), (at(0, 2), 200, "d"),
            (at(0, 2), 150, "cached"), (at(0, 6), None, "d"),
        )
    ]  # fmt: skip
    samples = [
        reading(time, end, committed_offset=position, group_id=group)
        for group, time, position, end in (
            ("half way", at(0, 3), 150, 300), ("on an end", at(0, 3), 200, 300), ("since yesterday", at(0, 3), 50, 300),
            ("before all", at(0, 3), 9, 300), ("caught up", at(0, 3), 300, 300), ("ahead", at(0, 3), 301, 300),
            ("none", at(0, 3), None, 300), ("before the decrease", at(0, 4), 5, 20), ("after the decrease", at(0, 5), 25, 30),
        )
    ]  # fmt: skip
    midnight = at(0, 0)
    assert {row["group_id"]: row["log_ended_at"] for row in series([*samples, *ends])} == {
        "half way": midnight + dt.timedelta(seconds=30),
        "on an end": midnight + dt.timedelta(seconds=120),
        "since yesterday": midnight - dt.timedelta(seconds=33, milliseconds=334),
        "before all": None,
        "caught up": None,
        "ahead": None,
        "none": None,
        "before the decrease": None,
        "after the decrease": midnight + dt.timedelta(minutes=4, seconds=30),
    }


def test_samples_carry_since_when_a_reporter_repeats_its_values_or_leaves_a_group_out() -> None:
    def second(number: int) -> dt.datetime:
        return NOON + dt.timedelta(seconds=number)

    rows = [
        *(reading(second(30 * n), 100, committed_offset=40 if n < 4 else 50) for n in range(6)),
        # The reporter goes on reporting the log, without the group.
        *(reading(second(30 * n), 100, group_id="left", committed_offset=40 + n) for n in (0, 1, 4)),
        *(reading(second(30 * n), 100, group_id="silent", committed_offset=40, topic="u") for n in (0, 200)),
    ]
    columns = ("group_id", "sampled_at", "unchanged_since", "left_out_since", "generation_changed_at")
    samples = [
        tuple(row[name] for name in columns) for row in series(rows, g=[second(45), second(50)], left=[second(10)])
    ]
    assert sorted(samples, key=lambda row: row[:2]) == [
        ("g", second(0), None, None, None),
        ("g", second(30), second(0), None, None),
        ("g", second(60), second(0), None, second(50)),
        ("g", second(90), second(0), None, second(50)),
        ("g", second(120), None, None, None),
        ("g", second(150), second(120), None, second(50)),
        ("left", second(0), None, None, None),
        ("left", second(30), None, None, None),
        ("left", second(120), None, second(30), second(10)),
        ("silent", second(0), None, None, None),
        ("silent", second(6000), None, None, None),
    ]


def test_of_copies_the_fullest_counts_then_the_first_delivered() -> None:
    rows = [
        reading(NOON, 100, committed_offset=40, source_file="b", source_position=2),
        reading(NOON, 100, committed_offset=40, source_file="a", source_position=9),
        reading(NOON, 100, committed_offset=40, source_file="a", source_position=3),
        reading(NOON, 100, source_file="poorer"),
        reading(NOON, 100, committed_offset=40, source_file="of another group", group_id="h"),
    ]
    samples = [(row["source_file"], row["source_position"], row["copies"]) for row in series(rows)]
    assert sorted(samples) == [("a", 3, 4), ("of another group", 0, 1)]


def test_a_day_that_is_only_looked_back_at_is_not_returned() -> None:
    rows = [
        reading(NOON - 24 * HOUR, 90, committed_offset=40, requested=False),
        reading(NOON, 100, committed_offset=40),
    ]
    assert [row["sampled_at"] for row in series(rows)] == [NOON]
    assert series(rows, "log_end") == [
        {"cluster": "c", "day": NOON.date(), "reporter": "d", "sampled_at": NOON, "topic": "t", "partition_id": 0}
        | {"log_start_offset": None, "log_end_offset": 100}
    ]
    assert series([]) == []


def random_rows(chance: random.Random) -> list[Row]:
    """Three days of a few logs, groups and reporters, whose log ends decrease now and then, with copies."""
    rows = []
    ends = defaultdict(lambda: chance.randint(0, 40))
    for minute in sorted(chance.choices(range(3 * 24 * 60), k=chance.choice((5, 60)))):
        at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=minute - minute % chance.choice((1, 30)))
        partition, reporter = chance.randint(0, 1), chance.choice("dex")
        ends[partition] = max(0, ends[partition] + chance.choice((0, 0, 7, 30, -5 if chance.random() < 0.2 else 1)))
        end = chance.choice((ends[partition], ends[partition], None))
        start = chance.choice((None, None, ends[partition] // 2))
        log_reading = reading(
            at, end, log_start_offset=start, partition_id=partition, reporter=reporter, requested=at.day > 1
        )
        for group in chance.choice(([], ["g"], ["g", "h"], ["g", "g"])):
            position = chance.choice((None, 0, ends[partition] // 2, ends[partition], ends[partition] + 1))
            rows.append(log_reading | {"group_id": group, "committed_offset": position, "source_position": len(rows)})
        if chance.random() < 0.3:
            rows.append(log_reading | {"kind": "log_offset", "group_id": None})
    return rows


def snapshots(rows: list[Row], sample: Row) -> list[Row]:
    """The snapshots of a sample's log, by reporter and time, on the sample's day and the day before."""
    by_time: dict[tuple[str, dt.datetime], Row] = {}
    for row in rows:
        if row["partition_id"] == sample["partition_id"] and 0 <= (sample["day"] - row["day"]).days <= 1:
            snapshot = by_time.setdefault((row["reporter"], row["sampled_at"]), dict(row))
            for name in ENDS:
                snapshot[name] = max((n for n in (snapshot[name], row[name]) if n is not None), default=None)
    return sorted(by_time.values(), key=lambda row: (row["sampled_at"], row["reporter"]))


def computed_row_by_row(rows: list[Row], sample: Row) -> Row:
    """Computed columns of a sample, from all rows."""
    log = snapshots(rows, sample)
    now = (sample["sampled_at"], sample["reporter"])
    until = [row for row in log if (row["sampled_at"], row["reporter"]) <= now]
    starts = [row["log_start_offset"] for row in until if row["log_start_offset"] is not None]
    next_starts = [row for row in log if (row["sampled_at"], row["reporter"]) >= now and row["log_start_offset"] is not None and row["day"] == sample["day"] and row["sampled_at"] <= sample["sampled_at"] + HOUR]  # fmt: skip
    others = [row for row in until if row["reporter"] != sample["reporter"] and row["log_end_offset"] is not None]
    same = [row for row in rows if row["kind"] == "group_offset" and all(row[n] == sample[n] for n in ("partition_id", "group_id"))]  # fmt: skip
    before = max((r["sampled_at"] for r in same if r["reporter"] == sample["reporter"] and r["sampled_at"] < sample["sampled_at"] and (sample["day"] - r["day"]).days <= 1), default=None)  # fmt: skip
    between = [row for row in until if row["reporter"] == sample["reporter"] and before and before < row["sampled_at"] < sample["sampled_at"]]  # fmt: skip
    after = [(r["sampled_at"], r["reporter"]) for r in same if (r["sampled_at"], r["reporter"]) > now and r["day"] == sample["day"]]  # fmt: skip
    return {
        "known_log_start_offset": starts[-1] if starts else None,
        "next_log_start_offset": next_starts[0]["log_start_offset"] if next_starts else None,
        "other_log_end_offset": others[-1]["log_end_offset"] if others and others[-1]["sampled_at"] >= sample["sampled_at"] - HOUR else None,
        "left_out_since": before if between else None,
        "next_sampled_at": min(after)[0] if after else None,
        "log_ended_at": ended_at(log, sample),
    }  # fmt: skip


def ended_at(log: list[Row], sample: Row) -> dt.datetime | None:
    position, end = sample["committed_offset"], sample["log_end_offset"]
    if position is None or end is None or end <= position:
        return None
    own = [row for row in log if row["reporter"] == sample["reporter"] and row["log_end_offset"] is not None]
    last = None
    for row, following in itertools.pairwise(own):
        if following["sampled_at"] > sample["sampled_at"]:
            break
        if following["log_end_offset"] < row["log_end_offset"]:
            last = None
        elif row["log_end_offset"] <= position < following["log_end_offset"]:
            share = (position - row["log_end_offset"]) / (following["log_end_offset"] - row["log_end_offset"])
            passed = (following["sampled_at"] - row["sampled_at"]) / dt.timedelta(milliseconds=1)
            last = row["sampled_at"] + dt.timedelta(milliseconds=int(passed * share))
    return last


@pytest.mark.parametrize("seed", range(40))
def test_series_of_random_readings_are_those_computed_row_by_row(seed: int) -> None:
    chance = random.Random(seed)
    rows = random_rows(chance)
    chance.shuffle(rows)
    samples = series(rows, batch=chance.choice((3, 1000)))
    expected_keys = {(r["partition_id"], r["group_id"], r["reporter"], r["sampled_at"]) for r in rows if r["kind"] == "group_offset" and r["requested"]}  # fmt: skip
    assert {(r["partition_id"], r["group_id"], r["reporter"], r["sampled_at"]) for r in samples} == expected_keys
    for row in samples:
        expected = computed_row_by_row(rows, row)
        assert {name: row[name] for name in expected} == expected, row
    ends = series(rows, "log_end")
    expected_ends = {
        (row["sampled_at"], row["reporter"], row["partition_id"], row["log_start_offset"], row["log_end_offset"])
        for reading_row in rows
        for row in snapshots(rows, reading_row)
        if row["day"] == reading_row["day"]
        and row["requested"]
        and (row["log_start_offset"], row["log_end_offset"]) != (None, None)
    }
    assert len(ends) == len(expected_ends)
    assert {
        (row["sampled_at"], row["reporter"], row["partition_id"], row["log_start_offset"], row["log_end_offset"])
        for row in ends
    } == expected_ends
