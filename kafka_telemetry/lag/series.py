"""Readings of whole logs as samples of group positions and as observed log ends."""

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
from kafka_telemetry.lag.log_snapshots import LogSnapshots
from kafka_telemetry.lag.position_series import PositionSeries, SampleKey, deduplicate

# What a reporter may report about a position.
REPORTED_COLUMNS = (
    *("committed_offset", "log_start_offset", "log_end_offset", "reported_lag", "reported_lag_ms"),
    *("owner_member_id", "client_id", "client_host"),
)
_LOG_END_KEY = ["cluster", "day", "reporter", "sampled_at", "topic", "partition_id"]
_TIME = pa.timestamp("us", "UTC")

# The times (microseconds since 1970) at which the generation of a group changed, in order, by cluster and group.
GenerationChanges = Mapping[tuple[str, str], Sequence[int]]


def build_series(
    batches: Iterable[pa.RecordBatch], changes: GenerationChanges, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Builds rows with either a `sample` or a `log_end`, structs of the columns in `schema`, from all readings of some logs.

    The readings come in any order. Those that are not `requested` are of days that are only looked back at.
    """
    non_empty = [batch for batch in batches if len(batch)]
    if not non_empty:
        return
    rows = pa.Table.from_batches(non_empty)
    log = combined_codes(value_codes(rows["cluster"]), value_codes(rows["topic"]), value_codes(rows["partition_id"]))
    # Ranked by name, so that two reporters at the same time have an order too.
    reporter, at = value_ranks(rows["reporter"]), integers(pc.fill_null(rows["sampled_at"], 0))
    start, end = integers(rows["log_start_offset"]), integers(rows["log_end_offset"])
    snapshots = LogSnapshots(log, reporter, at, start, end)
    requested = rows["requested"].to_numpy()
    yield from _structs("log_end", _log_ends(rows, snapshots, requested), schema)

    sample_rows = np.flatnonzero(pc.equal(rows["kind"], "group_offset").to_numpy())
    key = SampleKey(combined_codes(log, value_codes(rows["group_id"])), reporter, at).take(sample_rows)
    unique, copies = deduplicate(rows, sample_rows, key, REPORTED_COLUMNS)
    key, sample_rows = key.take(unique), sample_rows[unique]
    samples = rows.take(pa.array(sample_rows)).append_column("copies", pa.array(copies))
    samples = _samples(samples, key, snapshots, snapshots.of_row[sample_rows], changes)
    yield from _structs("sample", samples if requested.all() else samples.filter(samples["requested"]), schema)


def only_counted(readings: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The requested samples among these readings as they are, with nothing derived: so that each is counted."""
    is_sample = pc.and_(pc.equal(readings["kind"], "group_offset"), readings["requested"])
    samples = readings.filter(is_sample)
    samples = samples.append_column("copies", pa.array(np.ones(len(samples), np.int64)))
    for field in schema.field("sample").type:
        if field.name not in samples.column_names:
            samples = samples.append_column(field.name, pa.nulls(len(samples), field.type))
    yield from _structs("sample", samples, schema)


def _log_ends(rows: pa.Table, snapshots: LogSnapshots, requested: Flags) -> pa.Table:
    reported = np.flatnonzero(((snapshots.start != NULL) | (snapshots.end != NULL)) & requested[snapshots.rows])
    first_rows = snapshots.rows[reported]
    has_key = ~(pc.is_null(rows["topic"]).to_numpy() | pc.is_null(rows["partition_id"]).to_numpy())[first_rows]
    has_key &= ~pc.is_null(rows["sampled_at"]).to_numpy()[first_rows]
    first_rows, reported = first_rows[has_key], reported[has_key]
    return _with_columns(
        rows.select(_LOG_END_KEY).take(pa.array(first_rows)),
        {"log_start_offset": snapshots.start[reported], "log_end_offset": snapshots.end[reported]},
        times=(),
    )


def _samples(
    rows: pa.Table, key: SampleKey, snapshots: LogSnapshots, snapshot: Integers, changes: GenerationChanges
) -> pa.Table:
    committed, end = integers(rows["committed_offset"]), integers(rows["log_end_offset"])
    lag = np.where((committed != NULL) & (end != NULL), end - committed, NULL)
    behind = np.flatnonzero(lag > 0)
    ended_at = np.full(len(rows), NULL)
    ended_at[behind] = snapshots.log_ended_at(snapshot[behind], committed[behind])
    series = PositionSeries(key, snapshot)
    unchanged_since = series.unchanged_since(committed, end, integers(rows["reported_lag"]))
    left_out_since = series.left_out_since()
    stale = np.flatnonzero((unchanged_since != NULL) | (left_out_since != NULL)) if changes else np.empty(0, np.int64)
    return _with_columns(
        rows,
        {
            "lag": lag,
            "known_log_start_offset": snapshots.known_log_start()[snapshot],
            "next_log_start_offset": snapshots.next_log_start()[snapshot],
            "previous_log_end_offset": series.previous(end),
            "other_log_end_offset": snapshots.other_log_end()[snapshot],
            "log_ended_at": ended_at,
            "unchanged_since": unchanged_since,
            "left_out_since": left_out_since,
            "generation_changed_at": _generation_changed_at(rows, stale, changes),
            "next_sampled_at": series.next_at(),
        },
        times=("log_ended_at", "unchanged_since", "left_out_since", "generation_changed_at", "next_sampled_at"),
    )


def _generation_changed_at(rows: pa.Table, selected: Integers, changes: GenerationChanges) -> Integers:
    """The last change of the group's generation before each selected row; NULL in the other rows."""
    changed_at = np.full(len(rows), NULL)
    names = rows.select(["cluster", "group_id", "sampled_at"]).take(pa.array(selected))
    group = combined_codes(value_codes(names["cluster"]), value_codes(names["group_id"]))
    at = integers(names["sampled_at"])
    order = np.argsort(group, kind="stable")
    for of_group in np.split(order, np.flatnonzero(run_starts(group[order]))[1:]) if len(order) else ():
        first = int(of_group[0])
        times = np.array(changes.get((names["cluster"][first].as_py(), names["group_id"][first].as_py()), ()), np.int64)
        place = np.searchsorted(times, at[of_group], side="right")
        has_change = place > 0
        changed_at[selected[of_group[has_change]]] = times[place[has_change] - 1]
    return changed_at


def _with_columns(rows: pa.Table, added: dict[str, Integers], times: Sequence[str]) -> pa.Table:
    columns = {name: rows[name] for name in rows.column_names}
    for name, values in added.items():
        column = pa.array(values, pa.int64(), mask=values == NULL)
        columns[name] = column.cast(_TIME) if name in times else column
    return pa.table(columns)


def _structs(kind: str, rows: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows as structs in the column `kind`; the other columns of `schema` are null."""
    fields = list(schema.field(kind).type)
    for batch in rows.select([field.name for field in fields]).combine_chunks().to_batches():
        columns = [column.cast(field.type) for column, field in zip(batch.columns, fields, strict=True)]
        structs = pa.StructArray.from_arrays(columns, fields=fields)
        others = {field.name: pa.nulls(len(batch), field.type) for field in schema}
        yield pa.RecordBatch.from_arrays(list((others | {kind: structs}).values()), schema=schema)
