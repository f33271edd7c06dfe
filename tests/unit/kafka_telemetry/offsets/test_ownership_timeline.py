"""A commit belongs to the generation, and to the holder of its partition, that were told last before it."""

import datetime as dt

import pyarrow as pa

from kafka_telemetry.offsets.ownership_timeline import OWNERSHIP_COLUMNS, OwnershipTimeline

DAY = dt.date(2026, 1, 2)
_TYPES = pa.schema(
    [
        ("cluster", pa.string()),
        ("day", pa.date32()),
        ("group_id", pa.string()),
        ("record_offset", pa.int64()),
        ("since", pa.timestamp("us", "UTC")),
        ("generation", pa.int32()),
        ("member_count", pa.int32()),
        (
            "held",
            pa.list_(
                pa.struct(
                    [
                        ("topic", pa.string()),
                        ("partitions", pa.list_(pa.int32())),
                        ("client_id", pa.string()),
                        ("moved_from_member_id", pa.string()),
                    ]
                )
            ),
        ),
    ]
)
_COMMITS = pa.schema(
    [
        *[_TYPES.field(name) for name in ("cluster", "day", "group_id", "record_offset")],
        ("topic", pa.string()),
        ("partition_id", pa.int32()),
        ("committed_at", pa.timestamp("us", "UTC")),
    ]
)


def at(second: float | None) -> dt.datetime | None:
    return second and dt.datetime.combine(DAY, dt.time(), dt.UTC) + dt.timedelta(seconds=second)


def change(
    group: str,
    generation: int | None,
    members: int,
    place: int | None = None,
    since: float | None = None,
    held: tuple[tuple[str, list[int], str | None, str | None], ...] = (),
) -> dict[str, object]:
    names = ("topic", "partitions", "client_id", "moved_from_member_id")
    return {
        **{"cluster": "c", "day": DAY, "group_id": group, "record_offset": place, "since": at(since)},
        **{"generation": generation, "member_count": members},
        "held": [dict(zip(names, one, strict=True)) for one in held],
    }


def commit(
    group: str, place: int | None, second: float | None, partition: int = 0, topic: str = "t", day: dt.date = DAY
) -> dict[str, object]:
    return {
        **{"cluster": "c", "day": day, "group_id": group, "record_offset": place, "committed_at": at(second)},
        **{"topic": topic, "partition_id": partition},
    }


def told(changes: list[dict[str, object]], commits: list[dict[str, object]]) -> list[tuple[object, ...]]:
    rows = OwnershipTimeline(pa.Table.from_pylist(changes, _TYPES)).with_ownership(
        pa.Table.from_pylist(commits, _COMMITS)
    )
    return [tuple(row[name] for name in OWNERSHIP_COLUMNS) for row in rows.to_pylist()]


UNKNOWN = (None,) * 5


def test_the_last_change_before_its_place_in_the_log_tells_of_a_commit() -> None:
    changes = [
        change("g", None, 0, 45, 4.5),
        change("g", 1, 1, held=(("t", [0, 1], "a", None), ("u", [0], "c", None))),
        change("g", 2, 2, 15, 1.5),
        change("g", 2, 2, 25, 2.5, held=(("t", [0], "b", "member a"),)),
        change("g", 3, 0, 35, 3.5, held=(("t", [0], None, None),)),
        change("other", 9, 9, 15, 1.5, held=(("t", [0], "x", None),)),
    ]
    commits = [commit("g", place, 0) for place in (50, 40, 30, 20, 10)]
    assert told(changes, commits) == [
        (None, 0, None, at(3.5), False),
        (3, 0, None, at(3.5), False),
        (2, 2, "b", at(2.5), True),
        (2, 2, "a", None, False),
        (1, 1, "a", None, False),
    ]
    # The place of a change itself is not after it.
    assert told(changes, [commit("g", 25, 0), commit("g", 26, 0)]) == [
        (2, 2, "a", None, False),
        (2, 2, "b", at(2.5), True),
    ]


def test_topics_and_partitions_are_told_apart() -> None:
    changes = [change("g", 1, 1, held=(("t", [0, 1], "a", None), ("u", [0], "c", None)))]
    commits = [commit("g", 9, 0, *of) for of in ((1, "t"), (0, "u"), (1, "u"), (2, "t"), (0, "v"))]
    nobody = (1, 1, None, None, None)
    assert told(changes, commits) == [(1, 1, "a", None, False), (1, 1, "c", None, False), nobody, nobody, nobody]


def test_nothing_is_told_before_the_first_change_of_another_group_and_of_another_day() -> None:
    changes = [change("g", 1, 1, 6, 2, held=(("t", [0], "a", None),))]
    commits = [commit("g", 5, 1), commit("h", 7, 3), commit("g", 7, 3, day=DAY + dt.timedelta(1))]
    assert told(changes, commits) == [UNKNOWN] * 3


def test_a_commit_without_a_place_belongs_to_what_was_told_before_it_in_time_and_never_to_what_has_a_place() -> None:
    held = (("t", [0], "b", None),)
    changes = [
        change("in time", 3, 1, None, 4, held=(("t", [0], "c", "b"),)),
        change("in time", 2, 1, None, 2, held=held),
        change("placed", 2, 1, 7, 2, held=held),
        change("carried", 1, 1, held=(("t", [0], "a", None),)),
        change("placed after", 2, 1, None, 2, held=held),
        change("only logged", 7, 2, None, 2),
    ]
    commits = [
        commit("in time", None, 2),
        commit("in time", None, None),
        commit("placed", None, 3),
        commit("carried", None, 3),
        commit("placed after", 9, 3),
        commit("only logged", None, 1),
        commit("only logged", None, 3),
    ]
    assert told(changes, commits) == [
        (2, 1, "b", at(2), False),
        UNKNOWN,
        UNKNOWN,
        (1, 1, "a", None, False),
        UNKNOWN,
        UNKNOWN,
        (7, 2, None, None, None),
    ]


def test_of_several_changes_without_place_and_time_nobody_knows_which_was_last() -> None:
    changes = [change("texts", 6, 0), change("texts", None, 0), change("stood", 6, 0)]
    commits = [commit("texts", None, 3), commit("texts", 9, 3), commit("stood", None, 3)]
    assert told(changes, commits) == [UNKNOWN, UNKNOWN, (6, 0, None, None, None)]


def test_of_changes_at_one_time_the_higher_generation_is_the_later() -> None:
    changes = [change("g", 3, 2, None, 2), change("g", 4, 1, None, 2), change("g", 2, 3, None, 2)]
    assert told(changes, [commit("g", None, 3)]) == [(4, 1, None, None, None)]


def test_of_no_changes_nothing_is_told() -> None:
    rows = pa.Table.from_pylist([commit("g", 1, 1)], _COMMITS)
    assert OwnershipTimeline(_TYPES.empty_table()).with_ownership(rows) == rows
