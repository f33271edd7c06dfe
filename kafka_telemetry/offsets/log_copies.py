"""Merges the copies of a log: overlapping segments, segments from before and after compaction, replicas of several brokers."""

import functools
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers, flags, run_starts

# What a record contains, apart from where its copy was read.
CONTENT_COLUMNS = (
    *("kind", "recorded_at", "producer_id", "marker", "key_type", "value_version", "tombstone", "group_id", "topic"),
    *("partition_id", "committed_offset", "leader_epoch", "metadata", "committed_at", "expires_at", "topic_id"),
    *("member_id", "regular_expression", "value_json", "key_bytes", "value_bytes"),
)


def merge_copies(rows: pa.Table) -> pa.Table:
    """One row per record offset, and one per record that contradicts it there; `rows` are sorted by record offset.

    Adds `copies`, the number of equal copies that a row represents, and `contradicted`, true for a record that differs
    from the best copy at its offset: the one of the latest leader epoch, then the one with the most values. A missing
    value is no difference, because some dumps print fewer fields.
    """
    offsets = rows["record_offset"].to_numpy()
    starts = run_starts(offsets)
    if starts.all():
        return _with_counts(rows, np.ones(len(rows), np.int64), np.zeros(len(rows), np.bool_))
    slot = np.cumsum(starts) - 1
    has_copies = np.bincount(slot)[slot] > 1
    copied = np.flatnonzero(has_copies)
    copies = rows.take(copied)
    best = _best_copies(copies, slot[copied])

    contradicted = np.zeros(len(rows), np.bool_)
    contradicted[copied] = _differs(copies, copies.take(best))
    equal_copies = np.bincount(slot[~contradicted], minlength=slot[-1] + 1)[slot]
    is_result = ~has_copies | contradicted
    is_result[copied[np.unique(best)]] = True
    result = np.flatnonzero(is_result)
    return _with_counts(rows.take(result), np.where(contradicted, 1, equal_copies)[result], contradicted[result])


def fill_commit_times(rows: pa.Table) -> pa.Table:
    """Fills a missing commit time with the time when the record was written, some milliseconds later.

    kafka-dump-log prints no commit time up to 3.7, so it is missing where no other kind of copy exists.
    """
    missing = pc.and_(pc.is_valid(rows["committed_offset"]), pc.is_null(rows["committed_at"]))
    if not pc.any(missing).as_py():
        return rows
    committed_at = pc.if_else(missing, rows["recorded_at"], rows["committed_at"])
    return rows.set_column(rows.column_names.index("committed_at"), rows.field("committed_at"), committed_at)


def _with_counts(rows: pa.Table, copies: Integers, contradicted: Flags) -> pa.Table:
    return rows.append_column("copies", pa.array(copies)).append_column("contradicted", pa.array(contradicted))


def _best_copies(copies: pa.Table, slot: Integers) -> Integers:
    """For each copy the index of the best copy with the same slot."""
    valid_values = (pc.cast(pc.is_valid(copies[name]), pa.int32()) for name in CONTENT_COLUMNS)
    ranked = pa.table(
        {
            "slot": slot,
            "epoch": copies["batch_leader_epoch"],
            "fullness": functools.reduce(pc.add, valid_values),
            **{name: copies[name] for name in ("delivered_on", "source_file", "source_position")},
        }
    )
    best_first = [("slot", "ascending"), ("epoch", "descending"), ("fullness", "descending")]
    first_delivered = [(name, "ascending") for name in ("delivered_on", "source_file", "source_position")]
    order = pc.sort_indices(ranked, sort_keys=best_first + first_delivered).to_numpy()
    _, first, slot_of_row = np.unique(slot[order], return_index=True, return_inverse=True)
    best = np.empty(len(slot), np.int64)
    best[order] = order[first][slot_of_row]
    return best


def _differs(copies: pa.Table, best: pa.Table) -> Flags:
    differs = np.zeros(len(copies), np.bool_)
    for name in CONTENT_COLUMNS:
        unequal = flags(pc.not_equal(copies[name], best[name]))
        if name == "value_json":
            unequal = _without_partial_values(unequal, copies, best)
        differs |= unequal
    return differs


def _without_partial_values(unequal: Flags, copies: pa.Table, best: pa.Table) -> Flags:
    """Compares group values by their generation where a dump printed them in its own format: without a version and with
    only some of the fields."""
    unequal = unequal.copy()
    complete = flags(pc.and_(pc.is_valid(copies["value_version"]), pc.is_valid(best["value_version"])))
    for row in np.flatnonzero(unequal & ~complete).tolist():
        generation, best_generation = (_generation(table["value_json"][row].as_py()) for table in (copies, best))
        known = generation is not None and best_generation is not None
        unequal[row] = known and generation != best_generation
    return unequal


def _generation(value_json: str) -> Any:
    value = json.loads(value_json)
    return value.get("generation") if isinstance(value, dict) else None
