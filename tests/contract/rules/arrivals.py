"""Days that came as usual, that did not, or of which it is not known."""

VALID_ROW: dict[str, object] = {
    "is_silent": False,
    "missing_hours": [],
    "compared_records": 1000,
    "fewest_records": 500.0,
    "most_records": 1500.0,
    "not_understood": 5,
    "most_not_understood": 5.0,
    "missing_values": [],
    "new_values": [],
}

COLUMNS = (
    "is_silent boolean, missing_hours array<int>, compared_records bigint, fewest_records double, most_records double,"
    "not_understood bigint, most_not_understood double, missing_values array<string>, new_values array<string>"
)

CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "nothing_fell_silent": ([{"is_silent": True}], [{"is_silent": False}], [{"is_silent": None}]),
    "no_hour_is_missing": ([{"missing_hours": [3]}], [{"missing_hours": []}], [{"missing_hours": None}]),
    "volume_is_as_usual": (
        [{"compared_records": 499}, {"compared_records": 1501}],
        [{"compared_records": 500}, {"compared_records": 1500}, {"compared_records": 0, "fewest_records": -3.0}],
        [{"compared_records": None}, {"fewest_records": None, "most_records": None}],
    ),
    "as_much_is_understood_as_usual": (
        [{"not_understood": 6}],
        [{"not_understood": 5}],
        [{"most_not_understood": None}],
    ),
    "metrics_keep_their_values": (
        [{"missing_values": ["kminion log_offset log_end_offset"]}, {"new_values": ["kminion group_state state"]}],
        [{"missing_values": [], "new_values": []}],
        [{"missing_values": None, "new_values": None}],
    ),
}
