"""What an assignor costs for ten times the members and partitions: `python -m benchmarks.bench_assignors`.

1,000 members and 10,000 partitions beside 100 and 1,000, previous owners at random: all subscribe to all of the topics, or
each to half of them, by lot. The lower of three on either side.
"""

import random
import time

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import Member, TopicPartition

_TOPICS = [f"topic-{nth}" for nth in range(100)]


def group(size: int, *, subscribed: int) -> tuple[list[Member], dict[str, int]]:
    rng = random.Random(size)
    partitions = dict.fromkeys(_TOPICS, size // 10)
    owned: dict[int, list[TopicPartition]] = {}
    for topic, count in partitions.items():
        for partition in range(count):
            owned.setdefault(rng.randrange(size), []).append((topic, partition))
    members = [
        Member(f"member-{nth}", None, frozenset(rng.sample(_TOPICS, subscribed)), tuple(owned.get(nth, ())))
        for nth in range(size)
    ]
    return members, partitions


def seconds(assignor: str, members: list[Member], partitions: dict[str, int]) -> float:
    took = []
    for _ in range(3):
        started = time.perf_counter()
        ASSIGNORS[assignor](members, partitions)
        took.append(time.perf_counter() - started)
    return min(took)


def main() -> None:
    for subscribed in (100, 50):
        small, large = group(100, subscribed=subscribed), group(1000, subscribed=subscribed)
        for assignor in ASSIGNORS:
            few, many = seconds(assignor, *small), seconds(assignor, *large)
            print(
                f"{subscribed:3} of 100 topics, {assignor:18} {few * 1000:5.1f} ms, ten times as large "
                f"{many * 1000:6.1f} ms, ratio {many / few:5.1f} (aim: 1,000 ms or less)",
                flush=True,
            )


if __name__ == "__main__":
    main()
