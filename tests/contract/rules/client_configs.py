"""Rows of silver.client_configs that obey a rule, break it, or can't be judged by it."""

_SETTINGS = {
    "heartbeat.interval.ms": "3000",
    "session.timeout.ms": "9000",
    "max.partition.fetch.bytes": "1048576",
    "max.poll.interval.ms": "300000",
}

VALID_ROW: dict[str, object] = {
    "settings": _SETTINGS,
    # What brokers allow by default.
    "largest_message_bytes": 1048588,
    "poll_interval_leaves": 0,
}

COLUMNS = "settings map<string,string>, largest_message_bytes bigint, poll_interval_leaves bigint"


def _with(**changed: str) -> dict[str, object]:
    return {"settings": {**_SETTINGS, **{name.replace("_", "."): value for name, value in changed.items()}}}


# rule -> rows that break it, rows that obey it at its edge, rows that it can't judge; each as its difference from VALID_ROW
CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "heartbeat_is_a_third_of_the_session": (
        [
            _with(heartbeat_interval_ms="3001"),
            _with(session_timeout_ms="8999"),
            _with(group_protocol="CLASSIC", session_timeout_ms="10"),
        ],
        [{}, _with(heartbeat_interval_ms="2999")],
        [_with(heartbeat_interval_ms="null"), _with(group_protocol="consumer", heartbeat_interval_ms="9999")],
    ),
    "fetch_can_hold_the_largest_message": (
        [_with(max_partition_fetch_bytes="1048575"), {"largest_message_bytes": 1048589}],
        [{}, _with(max_partition_fetch_bytes="1048577")],
        [{"largest_message_bytes": None}, _with(max_partition_fetch_bytes="x")],
    ),
    "poll_interval_fits_the_batch": ([{"poll_interval_leaves": 1}], [{}], [{"poll_interval_leaves": None}]),
}
