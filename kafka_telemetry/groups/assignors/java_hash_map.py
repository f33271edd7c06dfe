"""The order in which Java iterates over a `HashMap` or `HashSet`: by bucket, and within a bucket by insertion.

Kafka's sticky assignors depend on it, e.g. for which members keep one partition more than others. Java turns a bucket of
more than eight keys in a large table into a tree, whose order is not computed here; ids of real members don't collide
that often.
"""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition

Key = TypeVar("Key", bound=Hashable)

_FIRST_BUCKETS = 16
_FULL = 0.75
# Java makes the table larger rather than a bucket longer than this, up to a table of that size.
_LONG_BUCKET = 8
_BUCKETS_OF_LARGE_TABLE = 64


def string_hash(text: str) -> int:
    """String.hashCode, without its sign."""
    value = 0
    for unit in array("H", text.encode("utf-16-le", "surrogatepass")):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value


def partition_hash(topic_hash: int, partition: TopicPartition) -> int:
    """TopicPartition.hashCode, without its sign."""
    return (31 * (31 + partition[1]) + topic_hash) & 0xFFFFFFFF


def in_hash_map_order(names: Iterable[str]) -> list[str]:
    """`names` in the order of insertion."""
    ordered = JavaHashSet(string_hash)
    for name in names:
        ordered.add(name)
    return list(ordered)


class JavaHashSet(Generic[Key]):
    """A set that iterates like Java's."""

    def __init__(self, hash_of: Callable[[Key], int]) -> None:
        self._hash_of = hash_of
        self._size = 0
        self._buckets: list[list[Key]] = [[] for _ in range(_FIRST_BUCKETS)]

    def __iter__(self) -> Iterator[Key]:
        return (key for bucket in self._buckets for key in bucket)

    def __len__(self) -> int:
        return self._size

    def add(self, key: Key) -> None:
        bucket = self._bucket_of(key)
        if key in bucket:
            return
        bucket.append(key)
        self._size += 1
        if len(bucket) > _LONG_BUCKET and len(self._buckets) < _BUCKETS_OF_LARGE_TABLE:
            self._double()
        if self._size > _FULL * len(self._buckets):
            self._double()

    def remove(self, key: Key) -> None:
        self._bucket_of(key).remove(key)
        self._size -= 1

    def _bucket_of(self, key: Key) -> list[Key]:
        value = self._hash_of(key)
        return self._buckets[(value ^ value >> 16) & (len(self._buckets) - 1)]

    def _double(self) -> None:
        keys = list(self)
        self._buckets = [[] for _ in range(2 * len(self._buckets))]
        for key in keys:
            self._bucket_of(key).append(key)
