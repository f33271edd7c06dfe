"""How the time of each assignor grows with ten times the members and partitions: `python -m
benchmarks.bench_assignors`.

Compares 1,000 members and 10,000 partitions with 100 and 1,000. Previous owners are random; members subscribe to all
topics, or each to a random half of them. Each time is the best of three runs.
"""

import random
import time

from benchmarks.claims import claim
from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import MemberSubscription, TopicPartition

_TOPICS = [f"topic-{nth}" for nth in range(100)]


def subscribed_group(size: int, *, subscribed: int) -> tuple[list[MemberSubscription], dict[str, int]]:
    rng = random.Random(size)
    partitions = dict.fromkeys(_TOPICS, size // 10)
    owned: dict[int, list[TopicPartition]] = {}
    for topic, count in partitions.items():
        for partition in range(count):
            owned.setdefault(rng.randrange(size), []).append((topic, partition))
    members = [
        MemberSubscription(f"member-{nth}", None, frozenset(rng.sample(_TOPICS, subscribed)), tuple(owned.get(nth, ())))
        for nth in range(size)
    ]
    return members, partitions


def seconds(assignor: str, members: list[MemberSubscription], partitions: dict[str, int]) -> float:
    times = []
    for _ in range(3):
        started = time.perf_counter()
        ASSIGNORS[assignor](members, partitions)
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    for subscribed in (100, 50):
        small, large = subscribed_group(100, subscribed=subscribed), subscribed_group(1000, subscribed=subscribed)
        for assignor in ASSIGNORS:
            few, many = seconds(assignor, *small), seconds(assignor, *large)
            print(
                f"{subscribed:3} of 100 topics, {assignor:18} {few * 1000:5.1f} ms, ten times as large "
                f"{many * 1000:6.1f} ms, ratio {many / few:5.1f} (aim: 1,000 ms or less)",
                flush=True,
            )
            if subscribed == 100:
                claim(f"{assignor}, 1,000 members", many * 1000, "ms", at_most=1000)


if __name__ == "__main__":
    main()
