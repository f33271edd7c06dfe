"""Rows of silver.offset_commits that obey a rule, break it, or can't be judged by it."""

from datetime import date, datetime

VALID_ROW = {
    "group_id": "orders-billing",
    "topic": "orders",
    "partition_id": 0,
    "committed_offset": 100,
    "committed_at": datetime(2026, 11, 18, 12, 0),
    "recorded_at": datetime(2026, 11, 18, 12, 0),
    "delivered_on": date(2026, 11, 18),
    "offsets_partition": 3,
    "group_hash": 13,
    "offsets_partitions": 5,
    "contradicted": False,
    "log_end_before": 90,
    "log_end_after": 110,
    "transaction": "none",
    "previous_committed_offset": 90,
    "previous_committed_at": datetime(2026, 11, 18, 11, 59, 55),
    "after_tombstone": False,
    "owner_client_id": "billing-1",
    "owner_since": datetime(2026, 11, 18, 11, 0),
    "auto_commit_interval_ms": 5000,
    "reached_by_reader": 100,
}

COLUMNS = (
    "group_id string, topic string, partition_id int, committed_offset bigint, committed_at timestamp,"
    "recorded_at timestamp, delivered_on date, offsets_partition int, group_hash int, offsets_partitions int,"
    "contradicted boolean, log_end_before bigint, log_end_after bigint, transaction string,"
    "previous_committed_offset bigint, previous_committed_at timestamp, after_tombstone boolean, owner_client_id string,"
    "owner_since timestamp, auto_commit_interval_ms bigint, reached_by_reader bigint"
)

# rule -> rows that break it, rows that obey it at its edge, rows that it can't judge; each as its difference from VALID_ROW
CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "committed_offset_is_not_negative": (
        [{"committed_offset": -1}, {"committed_offset": -(2**63)}],
        [{"committed_offset": 0}],
        [{"committed_offset": None}],
    ),
    "commit_names_a_real_partition": (
        [
            {"group_id": None},
            {"group_id": ""},
            {"topic": None},
            {"topic": ""},
            {"topic": "."},
            {"topic": ".."},
            {"topic": "a b"},
            {"topic": "ümlaut"},
            {"topic": "x" * 250},
            {"partition_id": -1},
            {"partition_id": None},
        ],
        [{"topic": "x" * 249}, {"topic": "a.b_c-D9"}, {"group_id": "any group 🙂"}, {"topic": "..."}],
        [],
    ),
    "one_record_per_log_position": ([{"contradicted": True}], [{"contradicted": False}], [{"contradicted": None}]),
    "group_is_in_its_own_partition": (
        [{"offsets_partition": 2}],
        [{"offsets_partition": 3}],
        [{"offsets_partitions": None}, {"offsets_partition": None}],
    ),
    "commit_time_is_possible": (
        [
            {"committed_at": datetime(2009, 12, 31, 23, 59, 59)},
            {"committed_at": datetime(2026, 11, 20)},
            {"recorded_at": datetime(2031, 1, 1)},
            {"committed_at": None, "recorded_at": datetime(1970, 1, 1)},
        ],
        [{"committed_at": datetime(2026, 11, 19, 23, 59, 59)}, {"committed_at": datetime(2010, 1, 1)}],
        [{"committed_at": None, "recorded_at": None}],
    ),
    "commit_is_not_past_the_log_end": (
        [{"committed_offset": 111}, {"committed_offset": 91, "log_end_after": 90}],
        [
            {"committed_offset": 110},
            {"committed_offset": 91},
            # The log was cut between the two: which of them held is not known.
            {"committed_offset": 111, "log_end_after": 80},
            {"committed_offset": 80, "log_end_before": None},
        ],
        [
            {"committed_offset": 111, "log_end_before": None},
            {"committed_offset": 111, "log_end_after": None},
            {"committed_offset": None},
        ],
    ),
    "commit_moves_forward": (
        [{"committed_offset": 89}, {"committed_offset": 0, "transaction": "committed"}],
        [{"committed_offset": 90}, {"committed_offset": 1, "transaction": "aborted"}],
        [{"previous_committed_offset": None}, {"committed_offset": None}],
    ),
    "auto_commit_keeps_its_interval": (
        [
            {"committed_at": datetime(2026, 11, 18, 12, 0, 6)},
            {"committed_at": datetime(2026, 11, 18, 12, 0, 6), "owner_since": None},
        ],
        [{}, {"committed_at": datetime(2026, 11, 18, 12, 0, 5)}, {"committed_at": datetime(2026, 11, 18, 11, 59, 55)}],
        [
            {"committed_at": datetime(2026, 11, 18, 12, 1), "auto_commit_interval_ms": None},
            {"committed_at": datetime(2026, 11, 18, 12, 1), "previous_committed_at": None},
            # Another consumer committed before.
            {"committed_at": datetime(2026, 11, 18, 12, 1), "owner_since": datetime(2026, 11, 18, 12, 0)},
            {"committed_at": datetime(2026, 11, 18, 12, 1), "owner_client_id": None},
            {"committed_at": datetime(2026, 11, 18, 12, 1), "after_tombstone": True},
            {"committed_at": datetime(2026, 11, 18, 12, 1), "transaction": "committed"},
        ],
    ),
    "last_commit_before_leaving": (
        [{"committed_offset": 99}],
        [{}, {"committed_offset": 101}],
        [{"reached_by_reader": None}],
    ),
}
