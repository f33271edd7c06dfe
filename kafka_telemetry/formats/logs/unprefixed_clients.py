"""Finds the consumer that logged a line without a `[Consumer …]` prefix, such as `Setting offset for partition …`.

It is the last client that was assigned the partition on the same thread; else the last one that was assigned it at all, if
only one group of the process reads it; else the last client that logged on the thread. Otherwise it stays unknown.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs.arrow_masks import (
    NO_ROW,
    detail_column,
    key_codes,
    last_marked_row,
    mask,
    take_or_null,
    with_column_replaced,
)

CLIENT_IDS = ("group_id", "client_id", "instance_id")
# All consumers of a process may have a thread of this name.
_SHARED_THREAD = "consumer_background_thread"
# The events that assign partitions to a client, and the details that list them.
_ASSIGNING_EVENTS = {
    "partitions_assigned": "partitions",
    "assignment_updated": "added",
    "assignment_reconciling": "added",
    "assigned_manually": "partitions",
    "no_committed_offset": "topic_partition",
}


class ClientFinder:
    """Remembers the clients of earlier lines. Lines must be passed in the order of their file."""

    def __init__(self) -> None:
        self._clients = pa.table({name: pa.array([], pa.string()) for name in ("key", *CLIENT_IDS)})
        """The last client of each key: a thread, a partition, or both."""
        self._group_of_partition: dict[str, str | None] = {}
        """None if several groups read the partition."""

    def fill_clients(self, lines: pa.Table, is_unknown: Flags) -> pa.Table:
        """Returns the lines with the ids of the unknown clients, as far as the lines before reveal them."""
        is_known = mask(pc.equal(lines["side"], "client")) & mask(pc.equal(lines["kind"], "event"))
        is_known &= mask(pc.is_valid(lines["group_id"]))
        # A line of librdkafka names its handle, which is as good as a thread of its own.
        thread = pc.fill_null(pc.coalesce(detail_column(lines, "client_name"), lines["thread"].combine_chunks()), "")
        new_keys, new_rows = _keys_of_known_clients(lines, is_known, thread)
        self._note_groups(lines, new_keys, new_rows)
        remembered = len(self._clients)
        clients = pa.concat_tables([self._clients.select(CLIENT_IDS), lines.select(CLIENT_IDS)]).combine_chunks()
        keys = pa.concat_arrays([self._clients["key"].combine_chunks(), new_keys])
        rows = np.concatenate([np.arange(remembered), new_rows + remembered])
        found = np.full(len(lines), NO_ROW)
        for lookup in self._lookup_keys(lines, thread):
            missing = np.flatnonzero(is_unknown & (found == NO_ROW) & mask(pc.is_valid(lookup)))
            found[missing] = _last_rows_with_key(keys, rows, lookup.take(pa.array(missing)), missing + remembered)
        for name in CLIENT_IDS:
            values = pc.coalesce(lines[name].combine_chunks(), take_or_null(clients[name].combine_chunks(), found))
            lines = with_column_replaced(lines, name, found != NO_ROW, values)
        self._clients = _last_client_of_each_key(keys, rows, clients)
        return lines

    def _note_groups(self, lines: pa.Table, keys: pa.Array, rows: Integers) -> None:
        of_partition = mask(pc.starts_with(keys, "partition\n"))
        group = lines["group_id"].combine_chunks().take(pa.array(rows[of_partition]))
        pairs = pa.table({"key": keys.filter(pa.array(of_partition)), "group": group})
        for pair in pairs.group_by(["key", "group"]).aggregate([]).to_pylist():
            if self._group_of_partition.setdefault(pair["key"], pair["group"]) != pair["group"]:
                self._group_of_partition[pair["key"]] = None

    def _lookup_keys(self, lines: pa.Table, thread: pa.Array) -> tuple[pa.Array, ...]:
        """The keys under which to look for the client of each line, best first; null where a key would mislead."""
        topic_partition = detail_column(lines, "topic_partition")
        ambiguous = [key for key, group in self._group_of_partition.items() if group is None]
        partition = _partition_key(topic_partition)
        own_thread = pc.if_else(pc.is_in(thread, pa.array(["", _SHARED_THREAD])), None, thread)
        return (
            _thread_and_partition_key(own_thread, topic_partition),
            pc.if_else(pc.is_in(partition, pa.array(ambiguous, pa.string())), None, partition),
            _thread_key(own_thread),
        )


def _keys_of_known_clients(lines: pa.Table, is_known: Flags, thread: pa.Array) -> tuple[pa.Array, Integers]:
    """Returns the keys of each line whose client is known, with the rows of the lines, in their order."""
    known = np.flatnonzero(is_known)
    keys, rows = [_thread_key(thread.take(pa.array(known)))], [known]
    for event, detail in _ASSIGNING_EVENTS.items():
        assigning = np.flatnonzero(is_known & mask(pc.equal(lines["event"], event)))
        lists = pc.split_pattern(pc.fill_null(detail_column(lines.take(pa.array(assigning)), detail), ""), ", ")
        row = assigning[pc.list_parent_indices(lists).to_numpy()]
        partition = pc.list_flatten(lists)
        keys += [_partition_key(partition), _thread_and_partition_key(thread.take(pa.array(row)), partition)]
        rows += [row, row]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return pa.concat_arrays(keys).take(pa.array(order)), np.concatenate(rows)[order]


def _thread_key(thread: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("thread", thread, "\n")


def _partition_key(partition: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("partition", partition, "\n")


def _thread_and_partition_key(thread: pa.Array, partition: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("both", thread, partition, "\n")


def _last_rows_with_key(keys: pa.Array, rows: Integers, lookup_keys: pa.Array, lookup_rows: Integers) -> Integers:
    """Returns for each lookup the last row before it that has its key."""
    all_rows = np.concatenate([rows, lookup_rows])
    order = np.argsort(all_rows, kind="stable")
    is_known = np.arange(len(all_rows)) < len(keys)
    found = np.full(len(all_rows), NO_ROW)
    found[order] = last_marked_row(key_codes(pa.concat_arrays([keys, lookup_keys]))[order], is_known[order])
    found = found[len(keys) :]
    return np.where(found == NO_ROW, NO_ROW, all_rows[order[found]]) if len(found) else found


def _last_client_of_each_key(keys: pa.Array, rows: Integers, clients: pa.Table) -> pa.Table:
    """The keys are in the order of the lines."""
    backwards = key_codes(keys)[::-1]
    _, first = np.unique(backwards, return_index=True)
    last = np.sort(len(backwards) - 1 - first)
    return clients.take(pa.array(rows[last])).append_column("key", keys.take(pa.array(last)))
