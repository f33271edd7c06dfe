"""Which generation was in force, and who held the partition, when a commit was written."""

from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import NULL, Flags, Integers, combined_codes, integers, value_codes

# What is told of a commit, null where no change of its group stands before it.
OWNERSHIP_COLUMNS = ("generation", "generation_members", "owner_client_id", "owner_since", "owner_moved")
CHANGE_COLUMNS = ("cluster", "day", "group_id", "record_offset", "since", "generation", "member_count", "held")
_GROUP = ["cluster", "day", "group_id"]


class _InOrder:
    """Rows by key and place, to find the last of a key before a place."""

    def __init__(self, key: Integers, place: Integers, *then: Integers) -> None:
        self._order = np.lexsort((*then[::-1], place, key))
        self._places = np.unique(place)
        self._key = key[self._order]
        self._code = self._key * (len(self._places) + 1) + np.searchsorted(self._places, place[self._order])

    def last(self, key: Integers, place: Integers, *, or_at: bool) -> Integers:
        """The row before each place, or at it; -1 where there is none."""
        if not len(self._order):
            return np.full(len(key), -1)
        rank = np.searchsorted(self._places, place, "right" if or_at else "left")
        at = np.searchsorted(self._code, key * (len(self._places) + 1) + rank) - 1
        return np.where((at >= 0) & (self._key[at] == key), self._order[at], -1)


class _Held(NamedTuple):
    """Who holds a partition from some change on, a row each."""

    change: Integers
    topic: pa.ChunkedArray
    partition: Integers
    client_id: pa.Array
    moved: pa.Array


class OwnershipTimeline:
    """Changes of groups: rows of silver.group_owners with the columns `CHANGE_COLUMNS`.

    A commit comes after the changes that stand before its place in the log. One without a place is laid over changes by
    time, and only where none of its group has a place; one with a place never over those that logs alone tell. One change
    without place and time is what stood when the day began; of several (a console's texts) nobody knows the order.
    """

    def __init__(self, changes: pa.Table) -> None:
        self._changes = changes
        names = zip(*(changes[name].to_pylist() for name in _GROUP), strict=True)
        self._groups: dict[tuple[object, ...], int] = {}
        group = np.array([self._groups.setdefault(name, len(self._groups)) for name in names], np.int64)
        # What stood when the day began has neither, and comes first.
        place, since = np.maximum(integers(changes["record_offset"]), -1), integers(changes["since"])
        at = np.where(since == NULL, 0, since)
        self._by_place, self._by_time = np.zeros((2, len(self._groups)), np.bool_)
        self._in_no_order = np.bincount(group[(place < 0) & (since == NULL)], minlength=len(self._groups)) > 1
        np.logical_or.at(self._by_place, group, place >= 0)
        np.logical_or.at(self._by_time, group, (place < 0) & (since != NULL))
        number = integers(changes["generation"])
        self._in_log, self._in_time = _InOrder(group, place, at, number), _InOrder(group, at, place, number)
        self._held = held = _held(changes)
        self._topics = {name: number for number, name in enumerate(pc.unique(held.topic).to_pylist())}
        self._partitions = int(held.partition.max(initial=-1)) + 1
        key = self._key(group[held.change], self._topic(held.topic), held.partition)
        self._keys = np.unique(key)
        key = np.searchsorted(self._keys, key)
        place, at, number = (of_change[held.change] for of_change in (place, at, number))
        self._held_in_log, self._held_in_time = _InOrder(key, place, at, number), _InOrder(key, at, place, number)

    def with_ownership(self, commits: pa.Table) -> pa.Table:
        """Adds to commits what is `OWNERSHIP_COLUMNS`, if there is anything to tell."""
        if not self._groups:
            return commits
        group = self._group(commits)
        place, at = integers(commits["record_offset"]), integers(commits["committed_at"])
        has_place = place != NULL
        fits = np.where(has_place, ~self._by_time[group], ~self._by_place[group] & (at != NULL))
        fits &= ~self._in_no_order[group]
        change = _last(self._in_log, self._in_time, group, place, at, has_place, (group >= 0) & fits)
        partition = integers(commits["partition_id"])
        key, known = self._known(self._key(group, self._topic(commits["topic"]), partition))
        known &= (change >= 0) & (partition >= 0) & (partition < self._partitions)
        held = _last(self._held_in_log, self._held_in_time, key, place, at, has_place, known)
        of_change, of_held = (pa.array(found, mask=found < 0) for found in (change, held))
        since = self._changes["since"].combine_chunks().take(pa.array(self._held.change))
        for name, column in zip(
            OWNERSHIP_COLUMNS,
            (
                self._changes["generation"].combine_chunks().take(of_change),
                self._changes["member_count"].combine_chunks().take(of_change),
                self._held.client_id.take(of_held),
                since.take(of_held),
                self._held.moved.take(of_held),
            ),
            strict=True,
        ):
            commits = commits.append_column(name, column)
        return commits

    def _group(self, commits: pa.Table) -> Integers:
        code = combined_codes(*(value_codes(commits[name]) for name in _GROUP))
        _, first = np.unique(code, return_index=True)
        names = commits.select(_GROUP).take(pa.array(first))
        known = zip(*(names[name].to_pylist() for name in _GROUP), strict=True)
        return np.array([self._groups.get(name, -1) for name in known], np.int64)[code]

    def _topic(self, topics: pa.ChunkedArray) -> Integers:
        coded = topics.combine_chunks().dictionary_encode(null_encoding="encode")
        known = [self._topics.get(name, -1) for name in coded.dictionary.to_pylist()]
        return cast(Integers, np.array(known, np.int64)[coded.indices.to_numpy(zero_copy_only=False)])

    def _key(self, group: Integers, topic: Integers, partition: Integers) -> Integers:
        key = (group * len(self._topics) + topic) * self._partitions + partition
        return np.where((group < 0) | (topic < 0), -1, key)

    def _known(self, key: Integers) -> tuple[Integers, Flags]:
        if not len(self._keys):
            return key, np.zeros(len(key), np.bool_)
        at = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        return at, self._keys[at] == key


def _last(
    in_log: _InOrder, in_time: _InOrder, key: Integers, place: Integers, at: Integers, has_place: Flags, known: Flags
) -> Integers:
    found = np.where(has_place, in_log.last(key, place, or_at=False), -1)
    if not has_place.all():
        found = np.where(has_place, found, in_time.last(key, at, or_at=True))
    return np.where(known, found, -1)


def _held(changes: pa.Table) -> _Held:
    held = changes["held"].combine_chunks()
    of_topic, change = pc.list_flatten(held), pc.list_parent_indices(held)
    partitions = pc.struct_field(of_topic, "partitions")
    place = pc.list_parent_indices(partitions)
    topic = pc.struct_field(of_topic, "topic").take(place)
    moved = pc.is_valid(pc.struct_field(of_topic, "moved_from_member_id")).take(place)
    client_id = pc.struct_field(of_topic, "client_id").take(place)
    return _Held(
        change.take(place).to_numpy().astype(np.int64),
        pa.chunked_array([topic]),
        pc.list_flatten(partitions).to_numpy().astype(np.int64),
        client_id,
        moved,
    )
