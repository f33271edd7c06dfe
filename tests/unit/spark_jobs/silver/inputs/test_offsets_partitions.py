import random

from spark_jobs.bronze.offset_records import java_hash
from spark_jobs.silver.inputs.offsets_partitions import number_agreed_on


def placed(groups: int, partitions: int) -> list[tuple[int, int]]:
    hashes = [java_hash(f"group-{number}") for number in range(groups)]
    return [(group_hash, group_hash % partitions) for group_hash in hashes]


def test_ten_groups_tell_how_many_partitions_there_are() -> None:
    assert number_agreed_on(placed(40, 50)) == 50
    assert number_agreed_on(placed(10, 50)) == 50
    assert number_agreed_on(placed(40, 3)) == 3


def test_nine_groups_tell_nothing() -> None:
    assert number_agreed_on(placed(9, 50)) is None


def test_a_tenth_of_the_groups_may_lie_elsewhere() -> None:
    groups = placed(40, 50)
    strayed = [(group_hash, (place + 1) % 50) for group_hash, place in groups[:4]]
    assert number_agreed_on(strayed + groups[4:]) == 50
    more = [(group_hash, (place + 1) % 50) for group_hash, place in groups[:5]]
    assert number_agreed_on(more + groups[5:]) is None


def test_groups_that_agree_on_several_numbers_tell_nothing() -> None:
    # All in partition 0 with hashes that many numbers divide.
    assert number_agreed_on([(720720 * number, 0) for number in range(1, 20)]) is None


def test_groups_anywhere_tell_nothing() -> None:
    chance = random.Random(1)
    assert number_agreed_on([(chance.getrandbits(31), chance.randrange(1000)) for _ in range(50)]) is None
