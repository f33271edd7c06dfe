"""Finds the effective position before each commit while a log is read, by key: group, topic, partition."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers, flags, integers, run_starts, start_of_run

PREVIOUS_POSITION_COLUMNS = (
    *("previous_committed_offset", "previous_committed_at", "previous_record_offset", "after_tombstone", "complete"),
    *("previous_is_known", "newest"),
)
_COMMIT_COLUMNS = (
    *("group_id", "topic", "partition_id", "record_offset", "committed_offset", "committed_at", "holes"),
    *("transaction", "day", "topic_id"),
)
_EFFECTIVE = pa.array(["none", "committed"])


class _Commits(NamedTuple):
    """Commits sorted by key and record offset; a flag says where a nullable column has a value."""

    is_first: Flags  # of its key
    key: Integers
    record_offset: Integers
    committed_offset: Integers
    has_offset: Flags
    committed_at: Integers
    has_time: Flags
    holes: Integers
    effective: Flags
    day: Integers
    has_topic_id: Flags


# The values of a column, and the rows where it is not null; None where it never is.
_Column = tuple[Integers | Flags, Flags | None]


class PositionTracker:
    """The newest effective commit of each key so far.

    This is the fast way to the previous position. It is right where every earlier commit of the key is valid, has a record
    offset, and was in a decided transaction when it was read (`previous_is_known`). For other keys silver.offset_commits
    computes the position again, with a window in SQL.
    """

    def __init__(self) -> None:
        self._name_codes: dict[str | None, int] = {}
        self._keys: dict[tuple[int, int], int] = {}
        # One element per key.
        self._has_commit = np.zeros(0, np.bool_)
        self._is_complete = np.zeros(0, np.bool_)  # no hole between the commit and the start of the days
        self._has_offset = np.zeros(0, np.bool_)
        self._has_time = np.zeros(0, np.bool_)
        self._committed_offset, self._committed_at, self._record_offset, self._holes = np.zeros((4, 0), np.int64)
        self._highest_offset = np.zeros(0, np.int64)

    def start_from(self, positions: pa.Table) -> None:
        """Sets the positions at the start of the days; `whole` is true where the log has no hole since the commit."""
        rows = positions.append_column("holes", pa.repeat(pa.scalar(0, pa.int64()), len(positions)))
        rows = rows.append_column("transaction", pa.repeat(pa.scalar("none"), len(positions)))
        commits, order = self._sorted(rows)
        self._update(commits, np.arange(len(order)))
        self._is_complete[commits.key] = flags(rows["whole"])[order]

    def with_previous_positions(self, rows: pa.Table) -> pa.Table:
        """Adds `PREVIOUS_POSITION_COLUMNS` to the next rows of the log, as if all commits in it were valid.

        `previous_is_known` is false where later rows of the key were returned before, because the outcome of this row's
        transaction was not known then. `newest` marks rows that may be the newest effective commit of a key on a day.
        """
        selected = np.flatnonzero(flags(pc.equal(rows["kind"], "commit")) & ~flags(rows["contradicted"]))
        columns = rows.select(_COMMIT_COLUMNS)
        commits, order = self._sorted(columns.take(selected) if len(selected) < len(rows) else columns)
        previous = self._previous_columns(commits)
        newest = _last_per_run(commits.effective, commits.key)
        self._update(commits, newest)
        self._is_complete[commits.key[newest]] = True
        places = selected[order]
        for name, (values, valid) in previous.items():
            kind = rows.schema.field("committed_at").type if name == "previous_committed_at" else None
            rows = rows.append_column(name, _scattered(values, valid, places, len(rows), kind))
        return rows

    def _previous_columns(self, commits: _Commits) -> dict[str, _Column]:
        key = commits.key
        before = _last_before(commits.effective)
        here = before >= start_of_run(commits.is_first)  # else the previous commit is one of earlier rows
        exists = here | self._has_commit[key]
        has_offset = np.where(here, commits.has_offset[before], self._has_offset[key]) & exists
        has_time = np.where(here, commits.has_time[before], self._has_time[key])
        holes = np.where(here, commits.holes[before], self._holes[key])
        named = commits.effective & commits.has_topic_id
        return {
            "previous_committed_offset": (
                np.where(here, commits.committed_offset[before], self._committed_offset[key]), has_offset,
            ),
            "previous_committed_at": (
                np.where(here, commits.committed_at[before], self._committed_at[key]), has_offset & has_time,
            ),
            "previous_record_offset": (
                np.where(here, commits.record_offset[before], self._record_offset[key]), has_offset,
            ),
            "after_tombstone": (exists & ~has_offset, None),
            "complete": ((here | self._is_complete[key]) & (holes == commits.holes), has_offset),
            "previous_is_known": (commits.record_offset > self._highest_offset[key], None),
            "newest": (_is_last_of_its_day(commits, commits.effective) | _is_last_of_its_day(commits, named), None),
        }  # fmt: skip

    def _update(self, commits: _Commits, newest: Integers) -> None:
        key = commits.key[newest]
        self._has_commit[key] = True
        self._has_offset[key] = commits.has_offset[newest]
        self._has_time[key] = commits.has_time[newest]
        self._committed_offset[key] = commits.committed_offset[newest]
        self._committed_at[key] = commits.committed_at[newest]
        self._record_offset[key] = commits.record_offset[newest]
        self._holes[key] = commits.holes[newest]
        np.maximum.at(self._highest_offset, commits.key, commits.record_offset)

    def _sorted(self, rows: pa.Table) -> tuple[_Commits, Integers]:
        """The commits, and the row that each of them is."""
        name = self._codes(rows["group_id"]) << 32 | self._codes(rows["topic"])
        partition = integers(rows["partition_id"], -1)
        offset = integers(rows["record_offset"], -1)
        order = np.lexsort((offset, partition, name))
        name, partition, offset = name[order], partition[order], offset[order]
        is_first = run_starts(name, partition)
        starts = np.flatnonzero(is_first)
        pairs = zip(name[starts].tolist(), partition[starts].tolist(), strict=True)
        keys = np.array([self._keys.setdefault(pair, len(self._keys)) for pair in pairs], np.int64)
        self._grow()
        commits = _Commits(
            is_first=is_first,
            key=keys[np.cumsum(is_first) - 1] if len(order) else keys,
            record_offset=offset,
            committed_offset=integers(rows["committed_offset"], 0)[order],
            has_offset=flags(pc.is_valid(rows["committed_offset"]))[order],
            committed_at=integers(rows["committed_at"], 0)[order],
            has_time=flags(pc.is_valid(rows["committed_at"]))[order],
            holes=integers(rows["holes"], 0)[order],
            effective=flags(pc.is_in(rows["transaction"], _EFFECTIVE))[order],
            day=integers(rows["day"], 0)[order],
            has_topic_id=flags(pc.is_valid(rows["topic_id"]))[order],
        )
        return commits, order

    def _codes(self, names: pa.ChunkedArray) -> Integers:
        """Numbers names; the same name has the same number in all rows of the log."""
        encoded = names.combine_chunks().dictionary_encode()
        codes = [self._name_codes.setdefault(name, len(self._name_codes)) for name in encoded.dictionary.to_pylist()]
        code_of_null = self._name_codes.setdefault(None, len(self._name_codes))
        indices: Integers = pc.fill_null(encoded.indices, len(codes)).to_numpy()
        return np.array([*codes, code_of_null], np.int64)[indices]

    def _grow(self) -> None:
        more = len(self._keys) - len(self._has_commit)
        if more > 0:
            more = max(more, len(self._has_commit))
            for name in ("_has_commit", "_is_complete", "_has_offset", "_has_time"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more, np.bool_)]))
            for name in ("_committed_offset", "_committed_at", "_record_offset", "_holes"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more, np.int64)]))
            self._highest_offset = np.concatenate([self._highest_offset, np.full(more, -1, np.int64)])


def _last_before(selected: Flags) -> Integers:
    """For each row the nearest selected row before it, or -1."""
    latest = np.maximum.accumulate(np.where(selected, np.arange(len(selected)), -1))
    return np.concatenate([[-1], latest[:-1]]) if len(selected) else latest


def _last_per_run(selected: Flags, *keys: Integers) -> Integers:
    """The last selected row of each run of equal keys."""
    rows = np.flatnonzero(selected)
    is_last = np.ones(len(rows), np.bool_)
    is_last[:-1] = run_starts(*(key[rows] for key in keys))[1:]
    return rows[is_last]


def _is_last_of_its_day(commits: _Commits, selected: Flags) -> Flags:
    is_last = np.zeros(len(selected), np.bool_)
    is_last[_last_per_run(selected, commits.key, commits.day)] = True
    return is_last


def _scattered(
    values: Integers | Flags, valid: Flags | None, places: Integers, size: int, kind: pa.DataType | None
) -> pa.Array:
    """A column of `size` rows with the valid values at their places, and null elsewhere."""
    column = np.zeros(size, values.dtype)
    column[places] = values
    is_null = np.ones(size, np.bool_)
    is_null[places] = False if valid is None else ~valid
    array = pa.array(column, mask=is_null)
    return array if kind is None else array.cast(kind)
