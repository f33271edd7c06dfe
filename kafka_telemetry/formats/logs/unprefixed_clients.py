"""Which consumer of a process speaks where a line has no `[Consumer …]` prefix: as `Setting offset for partition …`.

The last client that was given the partition on the same thread; else the last that was given it at all, where only one
group of the process reads it; else the last that spoke on the thread. Nothing else is taken for an answer.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import (
    NO_ROW,
    Mask,
    Rows,
    codes,
    detail,
    last_before,
    mask,
    replaced,
    taken,
)

WHO = ("group_id", "client_id", "instance_id")
# All consumers of a process may have a thread of this name.
_SHARED_THREAD = "consumer_background_thread"
_GIVEN = {
    "partitions_assigned": "partitions",
    "assignment_updated": "added",
    "assignment_reconciling": "added",
    "assigned_manually": "partitions",
    "no_committed_offset": "topic_partition",
}


class Voices:
    def __init__(self) -> None:
        self._last = pa.table({name: pa.array([], pa.string()) for name in ("key", *WHO)})
        """Who was last found under a key, in the lines before."""
        self._group_of_partition: dict[str, str | None] = {}

    def told(self, lines: pa.Table, asking: Mask) -> pa.Table:
        """The lines, those that ask with a client where one is known. Every other line of a client teaches."""
        teaches = mask(pc.equal(lines["side"], "client")) & mask(pc.equal(lines["kind"], "event"))
        teaches &= mask(pc.is_valid(lines["group_id"]))
        voice = pc.fill_null(pc.coalesce(detail(lines, "client_name"), lines["thread"].combine_chunks()), "")
        key, row = self._taught(lines, teaches, voice)
        self._note_groups(lines, key, row)
        known = pa.concat_tables([self._last.select(list(WHO)), lines.select(list(WHO))]).combine_chunks()
        keys = pa.concat_arrays([self._last["key"].combine_chunks(), key])
        rows = np.concatenate([np.arange(len(self._last)), row + len(self._last)])
        who = np.full(len(lines), NO_ROW)
        for question in self._questions(lines, voice):
            open_ones = np.flatnonzero(asking & (who == NO_ROW) & mask(pc.is_valid(question)))
            who[open_ones] = _answers(keys, rows, question.take(pa.array(open_ones)), open_ones + len(self._last))
        for name in WHO:
            values = pc.coalesce(lines[name].combine_chunks(), taken(known[name].combine_chunks(), who))
            lines = replaced(lines, name, who != NO_ROW, values)
        self._last = _last_of_each(keys, rows, known)
        return lines

    def _taught(self, lines: pa.Table, teaches: Mask, voice: pa.Array) -> tuple[pa.Array, Rows]:
        """Under which keys each line can be found again, in the order of the lines."""
        here = np.flatnonzero(teaches)
        keys, rows = [_on_thread(voice.take(pa.array(here)))], [here]
        for event, field in _GIVEN.items():
            given = np.flatnonzero(teaches & mask(pc.equal(lines["event"], event)))
            lists = pc.split_pattern(pc.fill_null(detail(lines.take(pa.array(given)), field), ""), ", ")
            row = given[pc.list_parent_indices(lists).to_numpy()]
            partition = pc.list_flatten(lists)
            keys += [_of_partition(partition), _of_both(voice.take(pa.array(row)), partition)]
            rows += [row, row]
        order = np.argsort(np.concatenate(rows), kind="stable")
        return pa.concat_arrays(keys).take(pa.array(order)), np.concatenate(rows)[order]

    def _note_groups(self, lines: pa.Table, key: pa.Array, row: Rows) -> None:
        of_partition = mask(pc.starts_with(key, "partition\n"))
        group = lines["group_id"].combine_chunks().take(pa.array(row[of_partition]))
        pairs = pa.table({"key": key.filter(pa.array(of_partition)), "group": group})
        for pair in pairs.group_by(["key", "group"]).aggregate([]).to_pylist():
            if self._group_of_partition.setdefault(pair["key"], pair["group"]) != pair["group"]:
                self._group_of_partition[pair["key"]] = None

    def _questions(self, lines: pa.Table, voice: pa.Array) -> tuple[pa.Array, ...]:
        partition = detail(lines, "topic_partition")
        doubtful = [key for key, group in self._group_of_partition.items() if group is None]
        alone = _of_partition(partition)
        own_voice = pc.if_else(pc.is_in(voice, pa.array(["", _SHARED_THREAD])), None, voice)
        return (
            _of_both(own_voice, partition),
            pc.if_else(pc.is_in(alone, pa.array(doubtful, pa.string())), None, alone),
            _on_thread(own_voice),
        )


def _on_thread(voice: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("thread", voice, "\n")


def _of_partition(partition: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("partition", partition, "\n")


def _of_both(voice: pa.Array, partition: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("both", voice, partition, "\n")


def _answers(keys: pa.Array, rows: Rows, asked: pa.Array, asking: Rows) -> Rows:
    """For each line that asks the row of the last line before it that is found under what it asks."""
    time = np.concatenate([rows, asking])
    order = np.argsort(time, kind="stable")
    teaches = np.arange(len(time)) < len(keys)
    found = np.full(len(time), NO_ROW)
    found[order] = last_before(codes(pa.concat_arrays([keys, asked]))[order], teaches[order])
    found = found[len(keys) :]
    return np.where(found == NO_ROW, NO_ROW, time[order[found]]) if len(found) else found


def _last_of_each(keys: pa.Array, rows: Rows, known: pa.Table) -> pa.Table:
    """The keys stand in the order of time."""
    backwards = codes(keys)[::-1]
    _, first = np.unique(backwards, return_index=True)
    chosen = np.sort(len(backwards) - 1 - first)
    return known.take(pa.array(rows[chosen])).append_column("key", keys.take(pa.array(chosen)))
