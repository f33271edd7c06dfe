"""Copies of one log become one log: segments, their forms before cleaning, and several brokers' replicas overlap."""

import functools
import json
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# What a record says, apart from where its copy was found.
CONTENT_COLUMNS = (
    *("kind", "recorded_at", "producer_id", "marker", "key_type", "value_version", "tombstone", "group_id", "topic"),
    *("partition_id", "committed_offset", "leader_epoch", "metadata", "committed_at", "expires_at", "topic_id"),
    *("member_id", "regular_expression", "value_json", "key_bytes", "value_bytes"),
)


def merge_copies(rows: pa.Table) -> pa.Table:
    """One row per place in the log, and one per record that contradicts it there; `rows` stand in the order of places.

    Adds `copies`, how many equal ones the row stands for, and `contradicted`, for a record at whose place a copy of
    higher rank says something else: one of a later leader epoch, else a fuller one. A null of a poorer dump is not other
    content.
    """
    places = rows["record_offset"].to_numpy()
    begins = np.ones(len(places), np.bool_)
    begins[1:] = places[1:] != places[:-1]
    if begins.all():
        return _counted(rows, np.ones(len(rows), np.int64), np.zeros(len(rows), np.bool_))
    place = np.cumsum(begins) - 1
    shared = np.bincount(place)[place] > 1
    of_shared = np.flatnonzero(shared)
    copies = rows.take(of_shared)
    best = _best(copies, place[of_shared])
    contradicts = _contradicts(copies, copies.take(best))

    contradicted = np.zeros(len(rows), np.bool_)
    contradicted[of_shared] = contradicts
    equal = np.bincount(place[~contradicted], minlength=place[-1] + 1)[place]
    stays = ~shared | contradicted
    stays[of_shared[np.unique(best)]] = True
    kept = np.flatnonzero(stays)
    return _counted(rows.take(kept), np.where(contradicted, 1, equal)[kept], contradicted[kept])


def fill_commit_times(rows: pa.Table) -> pa.Table:
    """kafka-dump-log prints no commit time up to 3.7: where no other copy tells it, what is left is when the record was
    written, some milliseconds later."""
    untold = pc.and_(pc.is_valid(rows["committed_offset"]), pc.is_null(rows["committed_at"]))
    if not pc.any(untold).as_py():
        return rows
    at = pc.if_else(untold, rows["recorded_at"], rows["committed_at"])
    return rows.set_column(rows.column_names.index("committed_at"), rows.field("committed_at"), at)


def _counted(rows: pa.Table, copies: Numbers, contradicted: Flags) -> pa.Table:
    return rows.append_column("copies", pa.array(copies)).append_column("contradicted", pa.array(contradicted))


def _best(copies: pa.Table, place: Numbers) -> Numbers:
    """For each copy the index of the one that counts at its place."""
    ranked = pa.table(
        {
            "place": place,
            "epoch": copies["batch_leader_epoch"],
            "fullness": functools.reduce(
                pc.add, (pc.cast(pc.is_valid(copies[name]), pa.int32()) for name in CONTENT_COLUMNS)
            ),
            **{name: copies[name] for name in ("delivered_on", "source_file", "source_position")},
        }
    )
    best_first = [("place", "ascending"), ("epoch", "descending"), ("fullness", "descending")]
    by_place_found = [(name, "ascending") for name in ("delivered_on", "source_file", "source_position")]
    order = pc.sort_indices(ranked, sort_keys=best_first + by_place_found).to_numpy()
    _, first, of_place = np.unique(place[order], return_index=True, return_inverse=True)
    best = np.empty(len(place), np.int64)
    best[order] = order[first][of_place]
    return best


def _contradicts(copies: pa.Table, best: pa.Table) -> Flags:
    contradicts = np.zeros(len(copies), np.bool_)
    for name in CONTENT_COLUMNS:
        differs = _flags(pc.not_equal(copies[name], best[name]))
        if name == "value_json":
            differs = _values_differ(differs, copies, best)
        contradicts |= differs
    return contradicts


def _values_differ(differs: Flags, copies: pa.Table, best: pa.Table) -> Flags:
    """A dump that prints a group's value in words of its own tells no version, and of its fields just some."""
    told_whole = _flags(pc.and_(pc.is_valid(copies["value_version"]), pc.is_valid(best["value_version"])))
    for at in np.flatnonzero(differs & ~told_whole).tolist():
        one, other = (_generation(table["value_json"][at].as_py()) for table in (copies, best))
        differs[at] = one is not None and other is not None and one != other
    return differs


def _generation(value: str) -> Any:
    told = json.loads(value)
    return told.get("generation") if isinstance(told, dict) else None


def _flags(values: Any) -> Flags:
    return cast(Flags, pc.fill_null(values, False).to_numpy()).copy()
