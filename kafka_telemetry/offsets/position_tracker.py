"""The effective position before each commit, kept by key (group, topic, partition) while a log is read."""

from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.offsets.log_copies import Flags, Numbers

PREVIOUS_POSITION_COLUMNS = (
    *("previous_committed_offset", "previous_committed_at", "previous_record_offset", "after_tombstone", "complete"),
    *("previous_is_known", "newest"),
)
_ASKED = (
    *("group_id", "topic", "partition_id", "record_offset", "committed_offset", "committed_at", "holes"),
    *("transaction", "day", "topic_id"),
)
_EFFECTIVE = pa.array(["none", "committed"])


class _Commits(NamedTuple):
    """Commits sorted by key and place; each column with what stands for null beside it."""

    begins: Flags
    key: Numbers
    record_offset: Numbers
    committed_offset: Numbers
    is_position: Flags
    committed_at: Numbers
    has_time: Flags
    holes: Numbers
    effective: Flags
    day: Numbers
    names_topic_id: Flags


class PositionTracker:
    """Where each key stands: its newest effective commit so far."""

    def __init__(self) -> None:
        self._names: dict[str | None, int] = {}
        self._keys: dict[tuple[int, int], int] = {}
        self._stands = np.zeros(0, np.bool_)
        self._whole = np.zeros(0, np.bool_)
        self._is_position = np.zeros(0, np.bool_)
        self._has_time = np.zeros(0, np.bool_)
        self._committed_offset, self._committed_at, self._record_offset, self._holes = np.zeros((4, 0), np.int64)
        self._seen_to = np.zeros(0, np.int64)

    def start_from(self, standing: pa.Table) -> None:
        """What a key stood at when the days began, `whole` telling whether the log was from there on."""
        rows = standing.append_column("holes", pa.repeat(pa.scalar(0, pa.int64()), len(standing)))
        rows = rows.append_column("transaction", pa.repeat(pa.scalar("none"), len(standing)))
        commits, order = self._sorted(rows)
        self._keep(commits, np.arange(len(order)))
        self._whole[commits.key] = _flags(pc.fill_null(rows["whole"], False))[order]

    def with_previous_positions(self, rows: pa.Table) -> pa.Table:
        """Adds to the next rows of the log what stood before each commit, as if all of them were lawful.

        `previous_is_known` is false where rows of the key that stand behind have been told already, since nobody knew
        how its transaction would end; `newest` marks the rows among which is the one that stands when a day ends.
        """
        at = np.flatnonzero(_flags(pc.equal(rows["kind"], "commit")) & ~_flags(rows["contradicted"]))
        asked = rows.select(_ASKED)
        commits, order = self._sorted(asked.take(at) if len(at) < len(rows) else asked)
        place = at[order]
        number = np.arange(len(order))
        first = np.maximum.accumulate(np.where(commits.begins, number, 0)) if len(order) else number
        before = _before(commits.effective, number)
        inside = before >= first
        key = commits.key

        exists = inside | self._stands[key]
        stands = np.where(inside, commits.is_position[before], self._is_position[key]) & exists
        holes = np.where(inside, commits.holes[before], self._holes[key])
        whole = (inside | self._whole[key]) & (holes == commits.holes)
        columns = {
            "previous_committed_offset": (
                np.where(inside, commits.committed_offset[before], self._committed_offset[key]), stands,
            ),
            "previous_committed_at": (
                np.where(inside, commits.committed_at[before], self._committed_at[key]),
                stands & np.where(inside, commits.has_time[before], self._has_time[key]),
            ),
            "previous_record_offset": (
                np.where(inside, commits.record_offset[before], self._record_offset[key]), stands,
            ),
            "after_tombstone": (exists & ~stands, None),
            "complete": (whole, stands),
            "previous_is_known": (commits.record_offset > self._seen_to[key], None),
            "newest": (_last_of_each_day(commits, commits.effective)
                       | _last_of_each_day(commits, commits.effective & commits.names_topic_id), None),
        }  # fmt: skip
        newest = _last_of_each(key, commits.effective)
        self._keep(commits, newest)
        self._whole[key[newest]] = True
        for name, (values, known) in columns.items():
            kind = rows.schema.field("committed_at").type if name == "previous_committed_at" else None
            rows = rows.append_column(name, _placed(values, known, place, len(rows), kind))
        return rows

    def _keep(self, commits: _Commits, newest: Numbers) -> None:
        key = commits.key[newest]
        self._stands[key] = True
        self._is_position[key] = commits.is_position[newest]
        self._has_time[key] = commits.has_time[newest]
        self._committed_offset[key] = commits.committed_offset[newest]
        self._committed_at[key] = commits.committed_at[newest]
        self._record_offset[key] = commits.record_offset[newest]
        self._holes[key] = commits.holes[newest]
        np.maximum.at(self._seen_to, commits.key, commits.record_offset)

    def _sorted(self, rows: pa.Table) -> tuple[_Commits, Numbers]:
        name = self._codes(rows["group_id"]) << 32 | self._codes(rows["topic"])
        partition = _numbers(rows["partition_id"], -1)
        offset = _numbers(rows["record_offset"], -1)
        order = np.lexsort((offset, partition, name))
        name, partition, offset = name[order], partition[order], offset[order]
        begins = np.ones(len(order), np.bool_)
        begins[1:] = (name[1:] != name[:-1]) | (partition[1:] != partition[:-1])
        starts = np.flatnonzero(begins)
        pairs = zip(name[starts].tolist(), partition[starts].tolist(), strict=True)
        keys = np.array([self._keys.setdefault(pair, len(self._keys)) for pair in pairs], np.int64)
        self._make_room()
        commits = _Commits(
            begins=begins,
            key=keys[np.cumsum(begins) - 1] if len(order) else keys,
            record_offset=offset,
            committed_offset=_numbers(rows["committed_offset"], 0)[order],
            is_position=_flags(pc.is_valid(rows["committed_offset"]))[order],
            committed_at=_numbers(rows["committed_at"], 0)[order],
            has_time=_flags(pc.is_valid(rows["committed_at"]))[order],
            holes=_numbers(rows["holes"], 0)[order],
            effective=_flags(pc.is_in(rows["transaction"], _EFFECTIVE))[order],
            day=_numbers(rows["day"].cast(pa.int32()), 0)[order],
            names_topic_id=_flags(pc.is_valid(rows["topic_id"]))[order],
        )
        return commits, order

    def _codes(self, names: pa.ChunkedArray) -> Numbers:
        coded = names.combine_chunks().dictionary_encode()
        known = [self._names.setdefault(name, len(self._names)) for name in coded.dictionary.to_pylist()]
        nobody = self._names.setdefault(None, len(self._names))
        codes: Numbers = pc.fill_null(coded.indices, len(known)).to_numpy()
        return np.array([*known, nobody], np.int64)[codes]

    def _make_room(self) -> None:
        more = len(self._keys) - len(self._stands)
        if more > 0:
            more = max(more, len(self._stands))
            for name in ("_stands", "_whole", "_is_position", "_has_time"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more, np.bool_)]))
            for name in ("_committed_offset", "_committed_at", "_record_offset", "_holes"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more, np.int64)]))
            self._seen_to = np.concatenate([self._seen_to, np.full(more, -1, np.int64)])


def _before(wanted: Flags, number: Numbers) -> Numbers:
    """For each the nearest wanted one before it, or -1."""
    latest = np.maximum.accumulate(np.where(wanted, number, -1)) if len(number) else number
    return np.concatenate([[-1], latest[:-1]]) if len(number) else number


def _last_of_each(key: Numbers, wanted: Flags, *more: Numbers) -> Numbers:
    """The last wanted one of each run of equal keys."""
    at = np.flatnonzero(wanted)
    ends = np.ones(len(at), np.bool_)
    ends[:-1] = key[at[1:]] != key[at[:-1]]
    for other in more:
        ends[:-1] |= other[at[1:]] != other[at[:-1]]
    return at[ends]


def _last_of_each_day(commits: _Commits, wanted: Flags) -> Flags:
    last = np.zeros(len(wanted), np.bool_)
    last[_last_of_each(commits.key, wanted, commits.day)] = True
    return last


def _placed(
    values: Numbers | Flags, known: Flags | None, place: Numbers, size: int, kind: pa.DataType | None
) -> pa.Array:
    """The values where they belong among all rows; elsewhere, and where they are not known, null."""
    column = np.zeros(size, values.dtype)
    column[place] = values
    unknown = np.ones(size, np.bool_)
    unknown[place] = False if known is None else ~known
    told = pa.array(column, mask=unknown)
    return told if kind is None else told.cast(kind)


def _numbers(values: pa.ChunkedArray, of_null: int) -> Numbers:
    return cast(Numbers, pc.fill_null(pc.cast(values, pa.int64()), of_null).to_numpy())


def _flags(values: pa.ChunkedArray) -> Flags:
    return cast(Flags, values.to_numpy())
