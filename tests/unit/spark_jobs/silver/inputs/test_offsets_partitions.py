import random

from spark_jobs.bronze.offset_records import java_hash
from spark_jobs.silver.inputs.offsets_partitions import agreed_count


def placed(groups: int, partitions: int) -> list[tuple[int, int]]:
    hashes = [java_hash(f"group-{number}") for number in range(groups)]
    return [(group_hash, group_hash % partitions) for group_hash in hashes]


def test_ten_groups_are_enough_to_know_the_number_of_partitions() -> None:
    assert agreed_count(placed(40, 50)) == 50
    assert agreed_count(placed(10, 50)) == 50
    assert agreed_count(placed(40, 3)) == 3


def test_nine_groups_are_not_enough() -> None:
    assert agreed_count(placed(9, 50)) is None


def test_a_tenth_of_the_groups_may_be_in_another_partition() -> None:
    groups = placed(40, 50)
    strayed = [(group_hash, (place + 1) % 50) for group_hash, place in groups[:4]]
    assert agreed_count(strayed + groups[4:]) == 50
    more = [(group_hash, (place + 1) % 50) for group_hash, place in groups[:5]]
    assert agreed_count(more + groups[5:]) is None


def test_the_number_is_unknown_where_groups_agree_on_several() -> None:
    # All in partition 0 with hashes that many numbers divide.
    assert agreed_count([(720720 * number, 0) for number in range(1, 20)]) is None


def test_the_number_is_unknown_where_groups_agree_on_none() -> None:
    chance = random.Random(1)
    assert agreed_count([(chance.getrandbits(31), chance.randrange(1000)) for _ in range(50)]) is None
