"""Readings of whole logs as samples of positions and as ends of logs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import (
    NULL,
    Flags,
    Integers,
    combined_codes,
    integers,
    run_starts,
    value_codes,
    value_ranks,
)
from kafka_telemetry.lag.log_moments import Moments
from kafka_telemetry.lag.position_series import Key, Series, once

# What a reporter may tell of a position: of copies the one that tells most of it counts.
REPORTED_COLUMNS = (
    *("committed_offset", "log_start_offset", "log_end_offset", "reported_lag", "reported_lag_ms"),
    *("owner_member_id", "client_id", "client_host"),
)
_OF_A_LOG = ["cluster", "day", "reporter", "sampled_at", "topic", "partition_id"]
_TIME = pa.timestamp("us", "UTC")


def build_series(
    batches: Iterable[pa.RecordBatch], changes: Mapping[tuple[str, str], Sequence[int]], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """All readings of some logs, in any order, as rows with a `sample` or a `log_end`: structs of the columns that `schema`
    names. Rows that are not `requested` are of days that are only looked back at. `changes` are the times, by cluster and
    group, when its generation changed, in their order."""
    given = list(batches)
    if not given or not sum(len(batch) for batch in given):
        return
    rows = pa.Table.from_batches(given)
    log = combined_codes(value_codes(rows["cluster"]), value_codes(rows["topic"]), value_codes(rows["partition_id"]))
    # In the order of their names, so that two that told at the same time stand in an order too.
    reporter, at = value_ranks(rows["reporter"]), integers(pc.fill_null(rows["sampled_at"], 0))
    start, end = integers(rows["log_start_offset"]), integers(rows["log_end_offset"])
    moments = Moments(log, reporter, at, start, end)
    wanted = rows["requested"].to_numpy()
    yield from _of_kind("log_end", _log_ends(rows, moments, wanted), schema)
    of_groups = np.flatnonzero(pc.equal(rows["kind"], "group_offset").to_numpy())
    key = Key(combined_codes(log, value_codes(rows["group_id"])), reporter, at).taken(of_groups)
    kept, copies = once(rows, of_groups, key, REPORTED_COLUMNS)
    key, kept = key.taken(kept), of_groups[kept]
    samples = _samples(rows.take(pa.array(kept)), copies, key, moments, moments.of_row[kept], changes)
    yield from _of_kind("sample", samples if wanted.all() else samples.filter(samples["requested"]), schema)


def _log_ends(rows: pa.Table, moments: Moments, wanted: Flags) -> pa.Table:
    told = np.flatnonzero(((moments.start != NULL) | (moments.end != NULL)) & wanted[moments.rows])
    of_moment = moments.rows[told]
    known = ~(pc.is_null(rows["topic"]).to_numpy() | pc.is_null(rows["partition_id"]).to_numpy())[of_moment]
    known &= ~pc.is_null(rows["sampled_at"]).to_numpy()[of_moment]
    of_moment, told = of_moment[known], told[known]
    return _with(
        rows.select(_OF_A_LOG).take(pa.array(of_moment)),
        {"log_start_offset": moments.start[told], "log_end_offset": moments.end[told]},
        times=(),
    )


def _samples(
    rows: pa.Table,
    copies: Integers,
    key: Key,
    moments: Moments,
    moment: Integers,
    changes: Mapping[tuple[str, str], Sequence[int]],
) -> pa.Table:
    position, end = integers(rows["committed_offset"]), integers(rows["log_end_offset"])
    lag = np.where((position != NULL) & (end != NULL), end - position, NULL)
    behind = np.flatnonzero(lag > 0)
    ended_at = np.full(len(rows), NULL)
    ended_at[behind] = moments.ended_at(moment[behind], position[behind])
    series = Series(key, moment)
    unchanged_since = series.unchanged_since(position, end, integers(rows["reported_lag"]))
    left_out_since = series.left_out_since()
    asked = np.flatnonzero((unchanged_since != NULL) | (left_out_since != NULL)) if changes else np.empty(0, np.int64)
    return _with(
        rows,
        {
            "copies": copies,
            "lag": lag,
            "known_log_start_offset": moments.known_start()[moment],
            "previous_log_end_offset": series.previous(end),
            "other_log_end_offset": moments.end_of_another()[moment],
            "log_ended_at": ended_at,
            "unchanged_since": unchanged_since,
            "left_out_since": left_out_since,
            "generation_changed_at": _changed_at(rows, asked, changes),
            "next_sampled_at": series.next_at(),
        },
        times=("log_ended_at", "unchanged_since", "left_out_since", "generation_changed_at", "next_sampled_at"),
    )


def _changed_at(rows: pa.Table, asked: Integers, changes: Mapping[tuple[str, str], Sequence[int]]) -> Integers:
    """When the generation of a group changed last before a row."""
    found = np.full(len(rows), NULL)
    asking = rows.select(["cluster", "group_id", "sampled_at"]).take(pa.array(asked))
    group = combined_codes(value_codes(asking["cluster"]), value_codes(asking["group_id"]))
    at = integers(asking["sampled_at"])
    order = np.argsort(group, kind="stable")
    for of_group in np.split(order, np.flatnonzero(run_starts(group[order]))[1:]) if len(order) else ():
        one = int(of_group[0])
        told = np.array(changes.get((asking["cluster"][one].as_py(), asking["group_id"][one].as_py()), ()), np.int64)
        place = np.searchsorted(told, at[of_group], side="right")
        before = place > 0
        found[asked[of_group[before]]] = told[place[before] - 1]
    return found


def _with(rows: pa.Table, found: dict[str, Integers], times: Sequence[str]) -> pa.Table:
    columns = {name: rows[name] for name in rows.column_names}
    for name, values in found.items():
        column = pa.array(values, pa.int64(), mask=values == NULL)
        columns[name] = column.cast(_TIME) if name in times else column
    return pa.table(columns)


def _of_kind(kind: str, rows: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    fields = list(schema.field(kind).type)
    for batch in rows.select([field.name for field in fields]).combine_chunks().to_batches():
        columns = [column.cast(field.type) for column, field in zip(batch.columns, fields, strict=True)]
        of_kind = pa.StructArray.from_arrays(columns, fields=fields)
        others = {field.name: pa.nulls(len(batch), field.type) for field in schema}
        yield pa.RecordBatch.from_arrays(list((others | {kind: of_kind}).values()), schema=schema)
