import pytest

from kafka_telemetry.formats.dumps.dump_reader import offsets_partition, skip_reason


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("b/__consumer_offsets-1/00000000000000000000.log", None),
        ("b/__consumer_offsets-1/00000000000000000000.log.deleted.zst", None),
        ("b/__consumer_offsets-1/00000000000000000000.log.swap", None),
        ("b/__consumer_offsets-1/00000000000000000000.log.cleaned", "unfinished_cleaning"),
        ("b/__consumer_offsets-1/00000000000000000000.index.deleted", "beside_the_log"),
        ("b/__consumer_offsets-1/00000000000000000000.timeindex.gz", "beside_the_log"),
        ("b/__consumer_offsets-1/leader-epoch-checkpoint", "beside_the_log"),
        ("b/__consumer_offsets-1.0123456789abcdef0123456789abcdef-delete/00000000000000000000.log", "other_copy"),
        ("b/__consumer_offsets-1-future/00000000000000000000.log", "other_copy"),
        ("b/__transaction_state-3/00000000000000000000.log", "other_topic"),
        ("b/__share_group_state-0/00000000000000000000.log.gz", "other_topic"),
    ],
)
def test_files_beside_the_log_are_not_read(path: str, why: str | None) -> None:
    assert skip_reason(path) == why


def test_the_partition_is_that_of_the_nearest_folder() -> None:
    assert offsets_partition("b/__consumer_offsets-7/copy/0.log") == 7
    assert offsets_partition("b/payments-7/0.log") is None
