"""A commit belongs to the generation, and to the owner of its partition, of the last change before it."""

import datetime as dt

import pyarrow as pa

from kafka_telemetry.offsets.ownership_timeline import OWNERSHIP_COLUMNS, OwnershipTimeline

DAY = dt.date(2026, 1, 2)
CHANGES = pa.schema(
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
COMMITS = pa.schema(
    [
        *[CHANGES.field(name) for name in ("cluster", "day", "group_id", "record_offset")],
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
    offset: int | None = None,
    since: float | None = None,
    owned: tuple[tuple[str, list[int], str | None, str | None], ...] = (),
) -> dict[str, object]:
    names = ("topic", "partitions", "client_id", "moved_from_member_id")
    return {
        **{"cluster": "c", "day": DAY, "group_id": group, "record_offset": offset, "since": at(since)},
        **{"generation": generation, "member_count": members},
        "held": [dict(zip(names, values, strict=True)) for values in owned],
    }


def commit(
    group: str, offset: int | None, second: float | None, partition: int = 0, topic: str = "t", day: dt.date = DAY
) -> dict[str, object]:
    return {
        **{"cluster": "c", "day": day, "group_id": group, "record_offset": offset, "committed_at": at(second)},
        **{"topic": topic, "partition_id": partition},
    }


def ownership(changes: list[dict[str, object]], commits: list[dict[str, object]]) -> list[tuple[object, ...]]:
    rows = OwnershipTimeline(pa.Table.from_pylist(changes, CHANGES)).with_ownership(
        pa.Table.from_pylist(commits, COMMITS)
    )
    return [tuple(row[name] for name in OWNERSHIP_COLUMNS) for row in rows.to_pylist()]


UNKNOWN = (None,) * 5


def test_a_commit_belongs_to_the_last_change_at_a_lower_record_offset() -> None:
    changes = [
        change("g", None, 0, 45, 4.5),
        change("g", 1, 1, owned=(("t", [0, 1], "a", None), ("u", [0], "c", None))),
        change("g", 2, 2, 15, 1.5),
        change("g", 2, 2, 25, 2.5, owned=(("t", [0], "b", "member a"),)),
        change("g", 3, 0, 35, 3.5, owned=(("t", [0], None, None),)),
        change("other", 9, 9, 15, 1.5, owned=(("t", [0], "x", None),)),
    ]
    commits = [commit("g", offset, 0) for offset in (50, 40, 30, 20, 10)]
    assert ownership(changes, commits) == [
        (None, 0, None, at(3.5), False),
        (3, 0, None, at(3.5), False),
        (2, 2, "b", at(2.5), True),
        (2, 2, "a", None, False),
        (1, 1, "a", None, False),
    ]
    # A commit at the record offset of a change does not follow it.
    assert ownership(changes, [commit("g", 25, 0), commit("g", 26, 0)]) == [
        (2, 2, "a", None, False),
        (2, 2, "b", at(2.5), True),
    ]


def test_topics_and_partitions_have_separate_owners() -> None:
    changes = [change("g", 1, 1, owned=(("t", [0, 1], "a", None), ("u", [0], "c", None)))]
    commits = [commit("g", 9, 0, *key) for key in ((1, "t"), (0, "u"), (1, "u"), (2, "t"), (0, "v"))]
    no_owner = (1, 1, None, None, None)
    assert ownership(changes, commits) == [
        (1, 1, "a", None, False),
        (1, 1, "c", None, False),
        no_owner,
        no_owner,
        no_owner,
    ]


def test_a_commit_before_the_first_change_or_of_another_group_or_day_has_no_owner() -> None:
    changes = [change("g", 1, 1, 6, 2, owned=(("t", [0], "a", None),))]
    commits = [commit("g", 5, 1), commit("h", 7, 3), commit("g", 7, 3, day=DAY + dt.timedelta(1))]
    assert ownership(changes, commits) == [UNKNOWN] * 3


def test_a_commit_without_a_record_offset_follows_changes_by_time_where_no_change_has_one() -> None:
    owned = (("t", [0], "b", None),)
    changes = [
        change("by time", 3, 1, None, 4, owned=(("t", [0], "c", "b"),)),
        change("by time", 2, 1, None, 2, owned=owned),
        change("by offset", 2, 1, 7, 2, owned=owned),
        change("since yesterday", 1, 1, owned=(("t", [0], "a", None),)),
        change("commit with offset", 2, 1, None, 2, owned=owned),
        change("only logged", 7, 2, None, 2),
    ]
    commits = [
        commit("by time", None, 2),
        commit("by time", None, None),
        commit("by offset", None, 3),
        commit("since yesterday", None, 3),
        commit("commit with offset", 9, 3),
        commit("only logged", None, 1),
        commit("only logged", None, 3),
    ]
    assert ownership(changes, commits) == [
        (2, 1, "b", at(2), False),
        UNKNOWN,
        UNKNOWN,
        (1, 1, "a", None, False),
        UNKNOWN,
        UNKNOWN,
        (7, 2, None, None, None),
    ]


def test_several_changes_with_neither_offset_nor_time_have_no_order_and_match_no_commit() -> None:
    changes = [change("console output", 6, 0), change("console output", None, 0), change("start of day", 6, 0)]
    commits = [commit("console output", None, 3), commit("console output", 9, 3), commit("start of day", None, 3)]
    assert ownership(changes, commits) == [UNKNOWN, UNKNOWN, (6, 0, None, None, None)]


def test_of_changes_at_the_same_time_the_higher_generation_is_the_later() -> None:
    changes = [change("g", 3, 2, None, 2), change("g", 4, 1, None, 2), change("g", 2, 3, None, 2)]
    assert ownership(changes, [commit("g", None, 3)]) == [(4, 1, None, None, None)]


def test_without_changes_commits_get_no_columns() -> None:
    rows = pa.Table.from_pylist([commit("g", 1, 1)], COMMITS)
    assert OwnershipTimeline(CHANGES.empty_table()).with_ownership(rows) == rows
