import pytest

from spark_jobs.collect.collect_state import (
    CollectedPartition,
    CollectState,
    UnreadableStateError,
    decode_state,
    encode_state,
)


def test_what_is_written_is_read() -> None:
    state = CollectState(
        "mXb1", {3: CollectedPartition(17, "offset_dumps/a.log", 400), 12: CollectedPartition(0, "", 0)}
    )
    assert decode_state(encode_state(state)) == state


def test_the_names_in_the_file_stay_whatever_the_code_calls_them() -> None:
    stored = (
        b'{"version": 1, "cluster_id": "mXb1", "partitions": {"3": {"next_offset": 17, "file": "a.log", "size": 400}}}'
    )
    assert decode_state(stored) == CollectState("mXb1", {3: CollectedPartition(17, "a.log", 400)})


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (b'{"version": 2, "cluster_id": "m", "partitions": {}}', "it has version 2"),
        (b'{"version": 1, "cluster_id": "m", "partitions": {"3": {"next_offset": "x"}}}', "it is damaged"),
        (b'{"version": 1, "cluster_id": "m"', "it is damaged"),
        (b"[]", "it is damaged"),
        (b"", "it is damaged"),
    ],
)
def test_what_can_not_be_read_is_refused(stored: bytes, reason: str) -> None:
    with pytest.raises(UnreadableStateError, match=reason):
        decode_state(stored)
