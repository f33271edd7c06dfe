"""The number of partitions of `__consumer_offsets`, derived from where groups are."""

import random

from spark_jobs.bronze.offset_records import java_hash
from spark_jobs.silver.inputs.offsets_partitions import agreed_count


def hashes_and_partitions(groups: int, partitions: int) -> list[tuple[int, int]]:
    """The hash of each group id and the offsets partition of the group."""
    hashes = [java_hash(f"group-{number}") for number in range(groups)]
    return [(group_hash, group_hash % partitions) for group_hash in hashes]


def test_ten_groups_are_enough_to_know_the_number_of_partitions() -> None:
    assert agreed_count(hashes_and_partitions(40, 50)) == 50
    assert agreed_count(hashes_and_partitions(10, 50)) == 50
    assert agreed_count(hashes_and_partitions(40, 3)) == 3


def test_nine_groups_are_not_enough() -> None:
    assert agreed_count(hashes_and_partitions(9, 50)) is None


def test_a_tenth_of_the_groups_may_be_in_another_partition() -> None:
    groups = hashes_and_partitions(40, 50)
    elsewhere = [(group_hash, (partition + 1) % 50) for group_hash, partition in groups[:5]]
    assert agreed_count(elsewhere[:4] + groups[4:]) == 50
    assert agreed_count(elsewhere + groups[5:]) is None


def test_the_number_is_unknown_if_several_numbers_fit() -> None:
    # All groups are in partition 0, and many numbers divide their hashes.
    assert agreed_count([(720720 * number, 0) for number in range(1, 20)]) is None


def test_the_number_is_unknown_if_no_number_fits() -> None:
    chance = random.Random(1)
    assert agreed_count([(chance.getrandbits(31), chance.randrange(1000)) for _ in range(50)]) is None


def test_a_copy_in_the_folder_of_another_partition_does_not_hide_the_number() -> None:
    """Every group is read in partition 7 too: the folder of one copy is wrong."""
    own = [(group_hash, group_hash % 50) for group_hash in range(1_000, 1_040, 3)]
    assert agreed_count([*own, *((group_hash, 7) for group_hash, _ in own)]) == 50


def test_few_groups_are_enough_where_one_is_in_two_partitions_and_brokers_defaults_decide() -> None:
    assert agreed_count([(1_002, 2)]) is None
    assert agreed_count([(1_002, 2), (1_002, 7)]) == 50
    # 50 fits neither place: the lowest number that does, and that has both partitions.
    assert agreed_count([(13, 3), (13, 4)]) == 5
