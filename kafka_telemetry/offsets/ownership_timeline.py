"""Which generation was in force, and which client owned the partition, when a commit was written."""

from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import NULL, Flags, Integers, combined_codes, integers, value_codes

# Null where no change of the group precedes the commit.
OWNERSHIP_COLUMNS = ("generation", "generation_members", "owner_client_id", "owner_since", "owner_moved")
CHANGE_COLUMNS = ("cluster", "day", "group_id", "record_offset", "since", "generation", "member_count", "held")
_GROUP = ["cluster", "day", "group_id"]


class _LastRow:
    """Finds the last row of a key before a position, which is a record offset or a time."""

    def __init__(self, key: Integers, position: Integers, *then: Integers) -> None:
        self._order = np.lexsort((*then[::-1], position, key))
        self._positions = np.unique(position)
        self._key = key[self._order]
        self._code = self._key * (len(self._positions) + 1) + np.searchsorted(self._positions, position[self._order])

    def find(self, key: Integers, position: Integers, *, inclusive: bool) -> Integers:
        """The row before each position, or also at it; -1 where there is none."""
        if not len(self._order):
            return np.full(len(key), -1)
        rank = np.searchsorted(self._positions, position, "right" if inclusive else "left")
        at = np.searchsorted(self._code, key * (len(self._positions) + 1) + rank) - 1
        return np.where((at >= 0) & (self._key[at] == key), self._order[at], -1)


class _Ownerships(NamedTuple):
    """One row per change and partition that a client owns from that change on."""

    change: Integers
    topic: pa.ChunkedArray
    partition: Integers
    client_id: pa.Array
    moved: pa.Array


class OwnershipTimeline:
    """The changes of each group on each day: rows of silver.group_owners with the columns `CHANGE_COLUMNS`.

    A commit with a record offset follows the changes at lower offsets. A commit without one follows the changes that are
    earlier in time, but only in a group none of whose changes has an offset; and a commit with an offset is never matched
    where some changes of its group have just a time, as those from log lines do. A single change with neither is the state
    at the start of the day; several of them (as console output has) have no known order, so their group is not matched.
    """

    def __init__(self, changes: pa.Table) -> None:
        self._changes = changes
        names = zip(*(changes[name].to_pylist() for name in _GROUP), strict=True)
        self._groups: dict[tuple[object, ...], int] = {}
        group = np.array([self._groups.setdefault(name, len(self._groups)) for name in names], np.int64)
        # The state at the start of the day has neither offset nor time, and comes first.
        offset, since = np.maximum(integers(changes["record_offset"]), -1), integers(changes["since"])
        time = np.where(since == NULL, 0, since)
        self._has_offsets, self._has_only_times = np.zeros((2, len(self._groups)), np.bool_)
        self._has_no_order = np.bincount(group[(offset < 0) & (since == NULL)], minlength=len(self._groups)) > 1
        np.logical_or.at(self._has_offsets, group, offset >= 0)
        np.logical_or.at(self._has_only_times, group, (offset < 0) & (since != NULL))
        generation = integers(changes["generation"])
        self._change_by_offset = _LastRow(group, offset, time, generation)
        self._change_by_time = _LastRow(group, time, offset, generation)

        self._ownerships = owned = _ownerships(changes)
        self._topics = {name: number for number, name in enumerate(pc.unique(owned.topic).to_pylist())}
        self._partition_count = int(owned.partition.max(initial=-1)) + 1
        key = self._key(group[owned.change], self._topic_numbers(owned.topic), owned.partition)
        self._keys = np.unique(key)
        key = np.searchsorted(self._keys, key)
        offset, time, generation = (column[owned.change] for column in (offset, time, generation))
        self._ownership_by_offset = _LastRow(key, offset, time, generation)
        self._ownership_by_time = _LastRow(key, time, offset, generation)

    def with_ownership(self, commits: pa.Table) -> pa.Table:
        """Adds `OWNERSHIP_COLUMNS` to commits, unless there are no changes at all."""
        if not self._groups:
            return commits
        group = self._group_numbers(commits)
        offset, time = integers(commits["record_offset"]), integers(commits["committed_at"])
        has_offset = offset != NULL
        known = np.where(has_offset, ~self._has_only_times[group], ~self._has_offsets[group] & (time != NULL))
        known &= (group >= 0) & ~self._has_no_order[group]
        change = _find_last(self._change_by_offset, self._change_by_time, group, offset, time, known)
        partition = integers(commits["partition_id"])
        key, known = self._key_numbers(self._key(group, self._topic_numbers(commits["topic"]), partition))
        known &= (change >= 0) & (partition >= 0) & (partition < self._partition_count)
        ownership = _find_last(self._ownership_by_offset, self._ownership_by_time, key, offset, time, known)
        at_change, at_ownership = (pa.array(rows, mask=rows < 0) for rows in (change, ownership))
        since = self._changes["since"].combine_chunks().take(pa.array(self._ownerships.change))
        columns = (
            self._changes["generation"].combine_chunks().take(at_change),
            self._changes["member_count"].combine_chunks().take(at_change),
            self._ownerships.client_id.take(at_ownership),
            since.take(at_ownership),
            self._ownerships.moved.take(at_ownership),
        )
        for name, column in zip(OWNERSHIP_COLUMNS, columns, strict=True):
            commits = commits.append_column(name, column)
        return commits

    def _group_numbers(self, commits: pa.Table) -> Integers:
        """The number of each commit's group, -1 where it has no changes."""
        code = combined_codes(*(value_codes(commits[name]) for name in _GROUP))
        _, first = np.unique(code, return_index=True)
        groups = commits.select(_GROUP).take(pa.array(first))
        names = zip(*(groups[name].to_pylist() for name in _GROUP), strict=True)
        return np.array([self._groups.get(name, -1) for name in names], np.int64)[code]

    def _topic_numbers(self, topics: pa.ChunkedArray) -> Integers:
        encoded = topics.combine_chunks().dictionary_encode(null_encoding="encode")
        numbers = [self._topics.get(name, -1) for name in encoded.dictionary.to_pylist()]
        return cast(Integers, np.array(numbers, np.int64)[encoded.indices.to_numpy(zero_copy_only=False)])

    def _key(self, group: Integers, topic: Integers, partition: Integers) -> Integers:
        """Group, topic and partition as one number, -1 where the group or the topic has no changes."""
        key = (group * len(self._topics) + topic) * self._partition_count + partition
        return np.where((group < 0) | (topic < 0), -1, key)

    def _key_numbers(self, key: Integers) -> tuple[Integers, Flags]:
        """The place of each key among the sorted keys, and whether it is one of them."""
        if not len(self._keys):
            return key, np.zeros(len(key), np.bool_)
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        return place, self._keys[place] == key


def _find_last(
    by_offset: _LastRow, by_time: _LastRow, key: Integers, offset: Integers, time: Integers, known: Flags
) -> Integers:
    """The last row of each key before the record offset, or up to the time where there is no offset; -1 if not `known`."""
    has_offset = offset != NULL
    row = np.where(has_offset, by_offset.find(key, offset, inclusive=False), -1)
    if not has_offset.all():
        row = np.where(has_offset, row, by_time.find(key, time, inclusive=True))
    return np.where(known, row, -1)


def _ownerships(changes: pa.Table) -> _Ownerships:
    held = changes["held"].combine_chunks()
    topics, change = pc.list_flatten(held), pc.list_parent_indices(held)
    partitions = pc.struct_field(topics, "partitions")
    row = pc.list_parent_indices(partitions)
    moved = pc.is_valid(pc.struct_field(topics, "moved_from_member_id"))
    return _Ownerships(
        change=change.take(row).to_numpy().astype(np.int64),
        topic=pa.chunked_array([pc.struct_field(topics, "topic").take(row)]),
        partition=pc.list_flatten(partitions).to_numpy().astype(np.int64),
        client_id=pc.struct_field(topics, "client_id").take(row),
        moved=moved.take(row),
    )
