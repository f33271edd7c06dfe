"""Whose line it is that names no group: another line of the same file may tell.

A fenced static member is known by its member or instance id. A consumer's line without the `[Consumer …]` prefix is
known by the partition that it names and by its thread, if the layout prints one: the last client to be given the
partition, the last to speak on the thread, or the only one in the file. What stays unknown waits for the file's end.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Rows = npt.NDArray[np.int64]
NOBODY = -1
_NAMES = ("group_id", "client_id", "instance_id")
# All consumers of a process may share it.
_SHARED_THREAD = "consumer_background_thread"
_GIVEN = {
    "partitions_assigned": "partitions",
    "assignment_updated": "added",
    "assignment_reconciling": "added",
    "assigned_manually": "partitions",
    "no_committed_offset": "topic_partition",
}


class Owners:
    def __init__(self) -> None:
        self._of_member: list[pa.Table] = []
        self._of_instance: list[pa.Table] = []
        self._known: pa.Table | None = None  # key -> the last who spoke under it
        self._clients: set[tuple[str | None, ...]] = set()
        self._groups_of_partition: dict[str, str | None] = {}
        self._last_replaced: pa.Table | None = None
        self._late: list[pa.Table] = []

    def told(self, lines: pa.Table) -> pa.Table:
        """The lines with the groups that are known by now; those without are kept back."""
        lines = self._by_thread_and_partition(lines)
        self._remember(lines)
        lines = self._after_replacement(self._by_id(lines))
        open_ones = _needing(lines)
        if open_ones.any():
            self._late.append(lines.filter(pa.array(open_ones)))
            lines = lines.filter(pa.array(~open_ones))
        return lines

    def late(self) -> pa.Table | None:
        if not self._late:
            return None
        lines = self._by_id(pa.concat_tables(self._late))
        if len(self._clients) == 1:
            (only,) = self._clients
            alone = _needing(lines) & _mask(pc.equal(lines["side"], "client"))
            for name, value in zip(_NAMES, only, strict=True):
                lines = _set(lines, name, alone, pa.array([value] * len(lines), pa.string()))
        return lines

    def _remember(self, lines: pa.Table) -> None:
        for found, key in ((self._of_member, "member_id"), (self._of_instance, "instance_id")):
            pairs = lines.select([key, "group_id"]).drop_null()
            found.append(pairs.group_by([key, "group_id"]).aggregate([]))

    def _by_id(self, lines: pa.Table) -> pa.Table:
        open_ones = _needing(lines) & _mask(pc.equal(lines["side"], "broker"))
        if not open_ones.any():
            return lines
        asked = lines.filter(pa.array(open_ones))
        current = pc.map_lookup(asked["details"], pa.scalar("current_member_id"), "first")
        group = pc.coalesce(
            _looked_up(self._of_member, asked["member_id"]),
            _looked_up(self._of_member, current),
            _looked_up(self._of_instance, asked["instance_id"]),
        )
        at = np.full(len(lines), NOBODY)
        at[open_ones] = np.arange(len(asked))
        return _set(lines, "group_id", open_ones, group.take(pa.array(at, mask=at == NOBODY)))

    def _after_replacement(self, lines: pa.Table) -> pa.Table:
        """That a static member's return starts no rebalance is said right after its replacement."""
        quiet = _mask(pc.equal(lines["event"], "static_rejoined_quietly"))
        donor = _mask(pc.equal(lines["event"], "static_member_replaced"))
        known = lines.filter(pa.array(donor))
        everything = pa.concat_tables([self._last_replaced, lines]) if self._last_replaced is not None else lines
        shift = len(everything) - len(lines)
        if quiet.any():
            place = pc.fill_null(pc.cast(everything["offsets_partition"], pa.string()), "")
            donors = _mask(pc.equal(everything["event"], "static_member_replaced"))
            last = _last_before(_codes(place), donors)[shift:]
            at = pa.array(last, mask=last == NOBODY)
            for name in ("group_id", "instance_id"):
                lines = _set(lines, name, quiet, everything[name].combine_chunks().take(at))
        if len(known):
            self._last_replaced = known.slice(max(0, len(known) - 64))
        return lines

    def _by_thread_and_partition(self, lines: pa.Table) -> pa.Table:
        client = _mask(pc.equal(lines["side"], "client"))
        if not client.any():
            return lines
        named = client & _mask(pc.is_valid(lines["group_id"]))
        named &= ~_mask(pc.equal(lines["kind"], "config"))
        for row in lines.filter(pa.array(named)).select(list(_NAMES)).group_by(list(_NAMES)).aggregate([]).to_pylist():
            self._clients.add(tuple(row[name] for name in _NAMES))
        asking = client & _needing(lines)
        voice = pc.coalesce(pc.map_lookup(lines["details"], pa.scalar("client_name"), "first"), lines["thread"])
        voice = pc.fill_null(voice, "").combine_chunks()
        owner = np.full(len(lines), NOBODY)
        known = lines.select(list(_NAMES))
        if self._known is not None:
            known = pa.concat_tables([known, self._known.select(list(_NAMES))])
        keys, rows = self._keys(lines, named, voice)
        self._note_groups(keys, rows, lines)
        for asked in self._questions(lines, asking, voice):
            found = self._answers(keys, rows, asked, len(lines))
            owner = np.where((owner == NOBODY) & asking, found, owner)
        at = pa.array(owner, mask=owner == NOBODY)
        for name in _NAMES:
            lines = _set(lines, name, asking & (owner != NOBODY), known[name].combine_chunks().take(at), keep=True)
        self._keep(keys, rows, known)
        return lines

    def _keys(self, lines: pa.Table, named: npt.NDArray[np.bool_], voice: pa.Array) -> tuple[pa.Array, Rows]:
        """Under which keys each named line can be found again, in the order of the lines."""
        here = np.flatnonzero(named)
        keys, rows = [pc.binary_join_element_wise("voice", voice.take(pa.array(here)), "\n")], [here]
        for event, field in _GIVEN.items():
            given = np.flatnonzero(named & _mask(pc.equal(lines["event"], event)))
            if not len(given):
                continue
            texts = pc.map_lookup(lines["details"].take(pa.array(given)), pa.scalar(field), "first")
            lists = pc.split_pattern(pc.fill_null(texts.combine_chunks(), ""), ", ")
            row = given[pc.list_parent_indices(lists).to_numpy()]
            partition = pc.list_flatten(lists)
            keys.append(pc.binary_join_element_wise("partition", partition, "\n"))
            keys.append(pc.binary_join_element_wise("both", voice.take(pa.array(row)), partition, "\n"))
            rows += [row, row]
        key, row = pa.concat_arrays(keys), np.concatenate(rows)
        if self._known is not None:  # said in the blocks before: they stand behind the lines' own rows, and come first
            key = pa.concat_arrays([self._known["key"].combine_chunks(), key])
            row = np.concatenate([np.arange(len(lines), len(lines) + len(self._known)), row])
        return key, row

    def _note_groups(self, keys: pa.Array, rows: Rows, lines: pa.Table) -> None:
        fresh = np.flatnonzero(_mask(pc.starts_with(keys, "partition\n")) & (rows < len(lines)))
        pairs = pa.table(
            {"key": keys.take(pa.array(fresh)), "group_id": lines["group_id"].take(pa.array(rows[fresh]))}
        )
        for pair in pairs.group_by(["key", "group_id"]).aggregate([]).to_pylist():
            known = self._groups_of_partition.setdefault(pair["key"], pair["group_id"])
            if known != pair["group_id"]:
                self._groups_of_partition[pair["key"]] = None

    def _questions(self, lines: pa.Table, asking: npt.NDArray[np.bool_], voice: pa.Array) -> list[pa.Array]:
        partition = pc.map_lookup(lines["details"], pa.scalar("topic_partition"), "first").combine_chunks()
        both = pc.binary_join_element_wise("both", voice, partition, "\n")
        alone = pc.binary_join_element_wise("partition", partition, "\n")
        doubtful = pa.array([key for key, group in self._groups_of_partition.items() if group is None], pa.string())
        alone = pc.if_else(pc.is_in(alone, doubtful), None, alone)
        speaking = pc.if_else(pc.is_in(voice, pa.array(["", _SHARED_THREAD])), None, voice)
        thread = pc.binary_join_element_wise("voice", speaking, "\n")
        nothing = pa.scalar(None, pa.string())
        return [pc.if_else(pa.array(asking), question, nothing) for question in (both, alone, thread)]

    def _answers(self, keys: pa.Array, rows: Rows, asked: pa.Array, length: int) -> Rows:
        """For each line the row of the last line before it that can be found under what it asks."""
        asking = np.flatnonzero(_mask(pc.is_valid(asked)))
        out = np.full(length, NOBODY)
        if not len(asking) or not len(keys):
            return out
        order = np.where(rows >= length, NOBODY, rows)  # those of earlier blocks come before all
        codes = _codes(pa.concat_arrays([keys, asked.take(pa.array(asking))]))
        time = np.concatenate([order, asking])
        donor = np.concatenate([np.ones(len(keys), dtype=bool), np.zeros(len(asking), dtype=bool)])
        by_time = np.argsort(time, kind="stable")
        last = np.full(len(time), NOBODY)
        last[by_time] = _last_before(codes[by_time], donor[by_time])
        found = last[len(keys) :]
        donors = by_time[np.maximum(found, 0)]
        out[asking] = np.where(found == NOBODY, NOBODY, rows[donors % len(rows)])
        return out

    def _keep(self, keys: pa.Array, rows: Rows, known: pa.Table) -> None:
        if not len(keys):
            return
        order = np.argsort(np.where(rows >= len(known) - (len(self._known) if self._known is not None else 0), NOBODY, rows), kind="stable")
        codes = _codes(keys)[order]
        _, last = np.unique(codes[::-1], return_index=True)
        chosen = order[len(codes) - 1 - last]
        self._known = known.take(pa.array(rows[chosen])).append_column("key", keys.take(pa.array(chosen)))


def _needing(lines: pa.Table) -> npt.NDArray[np.bool_]:
    """Lines that are about one group and don't name it."""
    about_a_group = pc.is_in(
        lines["event"],
        pa.array(
            [
                "member_fenced", "static_rejoined_quietly", "position_set", "assignment_finished", "poll_timeout",
                "session_timed_out", "offset_reset", "joined", "heartbeat_failed", "heartbeat_stopped",
                "session_released", "left", "heartbeat_answered", "commit_failed", "elected_leader",
            ]
        ),
    )  # fmt: skip
    return _mask(about_a_group) & ~_mask(pc.is_valid(lines["group_id"]))


def _codes(keys: pa.Array) -> Rows:
    keys = keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys
    out: Rows = keys.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def _last_before(codes: Rows, donor: npt.NDArray[np.bool_]) -> Rows:
    """For each place the last place before it, of the same code, that gives; places are in the order of time."""
    order = np.argsort(codes, kind="stable")
    place = np.arange(len(order))
    last = np.maximum.accumulate(np.where(donor[order], place, NOBODY))
    fits = (last != NOBODY) & (codes[order][np.maximum(last, 0)] == codes[order])
    out = np.full(len(order), NOBODY)
    out[order] = np.where(fits, order[np.maximum(last, 0)], NOBODY)
    return out


def _looked_up(found: list[pa.Table], asked: pa.ChunkedArray) -> pa.Array:
    """The one group that an id belongs to; null where it belongs to several."""
    pairs = pa.concat_tables(found) if found else None
    if pairs is None or not len(pairs):
        return pa.nulls(len(asked), pa.string())
    key = pairs.column_names[0]
    pairs = pairs.group_by([key, "group_id"]).aggregate([]).group_by(key).aggregate([("group_id", "min"), ("group_id", "max")])
    one = pc.equal(pairs["group_id_min"], pairs["group_id_max"])
    pairs = pairs.filter(one)
    at = pc.index_in(asked.combine_chunks(), value_set=pairs[key].combine_chunks(), skip_nulls=True)
    return pairs["group_id_min"].combine_chunks().take(at)


def _set(lines: pa.Table, name: str, where: npt.NDArray[np.bool_], values: pa.Array, keep: bool = False) -> pa.Table:
    now = lines[name].combine_chunks()
    new = pc.coalesce(now, values) if keep else values
    return lines.set_column(lines.schema.get_field_index(name), name, pc.if_else(pa.array(where), new, now))


def _mask(values: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    out: npt.NDArray[np.bool_] = pc.fill_null(values, False).to_numpy(zero_copy_only=False) if isinstance(
        values, pa.Array
    ) else pc.fill_null(values, False).to_numpy()
    return out
