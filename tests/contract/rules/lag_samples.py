"""Rows of silver.lag_samples that obey a rule, break it, or can't be judged by it."""

import datetime as dt


def _at(minute: int, second: int = 0) -> dt.datetime:
    return dt.datetime(2026, 1, 2, 12, minute, second)


VALID_ROW = {
    "reporter": "describe",
    "committed_offset": 90,
    "log_start_offset": 10,
    "known_log_start_offset": None,
    "next_log_start_offset": None,
    "log_end_offset": 100,
    "lag": 10,
    "reported_lag": 10,
    "lag_meaning": "signed",
    "previous_log_end_offset": 95,
    "other_log_end_offset": None,
    "sampled_at": _at(10),
    "unchanged_since": None,
    "generation_changed_at": None,
}

COLUMNS = (
    "reporter string, committed_offset bigint, log_start_offset bigint, known_log_start_offset bigint, next_log_start_offset bigint, log_end_offset bigint, lag bigint,"
    "reported_lag bigint, lag_meaning string, previous_log_end_offset bigint, other_log_end_offset bigint, sampled_at timestamp,"
    "unchanged_since timestamp, generation_changed_at timestamp"
)

CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "lag_is_end_minus_committed": (
        [{"reported_lag": 11}, {"lag_meaning": "clamped", "lag": -5, "reported_lag": -5}],
        [
            {"lag": -5, "reported_lag": -5},
            {"lag_meaning": "clamped", "lag": -5, "reported_lag": 0},
            {"lag_meaning": "unsigned", "lag": -5, "reported_lag": 0},
        ],
        [{"reported_lag": None}, {"lag": None}, {"lag_meaning": "position", "reported_lag": 3}, {"lag_meaning": None}],
    ),
    "log_start_is_not_past_log_end": (
        [
            {"log_start_offset": 101},
            {"log_start_offset": None, "known_log_start_offset": 101, "next_log_start_offset": 105},
        ],
        [
            {"log_start_offset": 100},
            {"log_start_offset": None, "known_log_start_offset": 100, "next_log_start_offset": 101},
            # The topic was recreated in between.
            {"log_start_offset": None, "known_log_start_offset": 5000, "next_log_start_offset": 0},
        ],
        [
            {"log_start_offset": None},
            {"log_start_offset": None, "known_log_start_offset": 101},
            {"log_start_offset": None, "next_log_start_offset": 101},
        ],
    ),
    "commit_is_not_behind_the_log_start": (
        [{"committed_offset": 9}, {"log_start_offset": None, "known_log_start_offset": 91}],
        [{"committed_offset": 10}, {"log_start_offset": None, "known_log_start_offset": 90}],
        [{"log_start_offset": None}, {"committed_offset": None}],
    ),
    "lag_is_not_negative": ([{"lag": -1}], [{"lag": 0}], [{"lag": None}, {"lag": -1, "reporter": "kafka_exporter"}]),
    "log_end_moves_forward": (
        [{"log_end_offset": 94}],
        [{"log_end_offset": 95}],
        [{"previous_log_end_offset": None}],
    ),
    "commit_names_the_next_record": (
        [{"lag": 1, "unchanged_since": _at(9)}],
        [
            {"lag": 1},
            {"lag": 1, "unchanged_since": _at(9, 1)},
            {"lag": 2, "unchanged_since": _at(9)},
            {"lag": 0, "unchanged_since": _at(9)},
        ],
        [{"lag": None, "unchanged_since": _at(9)}],
    ),
    "lag_is_not_frozen": (
        [
            {"unchanged_since": _at(8), "generation_changed_at": _at(9)},
            {"unchanged_since": _at(8), "generation_changed_at": _at(9), "other_log_end_offset": 101},
        ],
        [
            {},
            {"unchanged_since": _at(9), "generation_changed_at": _at(8)},
            # Another reporter also reports the same log end.
            {"unchanged_since": _at(8), "generation_changed_at": _at(9), "other_log_end_offset": 100},
        ],
        [
            {"lag": None, "unchanged_since": _at(8), "generation_changed_at": _at(9)},
            {"lag": 0, "unchanged_since": _at(8), "generation_changed_at": _at(9)},
            {"unchanged_since": _at(8)},
        ],
    ),
}
