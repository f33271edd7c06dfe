"""Rows of one or more offsets logs, and the merged log that comes out of them."""

import datetime as dt
import random
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.log_merge import merge_logs
from kafka_telemetry.offsets.log_pieces import START_POSITION, pack_pieces
from kafka_telemetry.spill import Spill

DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("cluster", "kind", "marker", "group_id", "topic", "metadata", "topic_id")),
        *((name, pa.string()) for name in ("member_id", "regular_expression", "value_json", "source_file")),
        *((name, pa.int32()) for name in ("offsets_partition", "key_type", "value_version", "partition_id")),
        *((name, pa.int32()) for name in ("leader_epoch", "batch_leader_epoch")),
        *((name, pa.int64()) for name in ("record_offset", "producer_id", "committed_offset", "source_position")),
        *((name, pa.bool_()) for name in ("tombstone", "transactional", "later", "whole")),
        *((name, pa.timestamp("us", "UTC")) for name in ("recorded_at", "committed_at", "expires_at")),
        *((name, pa.binary()) for name in ("key_bytes", "value_bytes")),
        *((name, pa.date32()) for name in ("delivered_on", "day")),
    ]
)
RECORD = {
    "cluster": "eu", "delivered_on": DAY, "day": DAY, "source_file": "a.log", "source_position": 0, "kind": "commit",
    "offsets_partition": 3, "recorded_at": NOON, "committed_at": NOON, "batch_leader_epoch": 1, "key_type": 1,
    "value_version": 3, "tombstone": False, "transactional": False, "group_id": "g", "topic": "t", "partition_id": 0,
    "metadata": "", "later": False,
}  # fmt: skip
Row = dict[str, Any]
_IN_THE_LOG = ("cluster", "offsets_partition", "record_offset", "source_file", "source_position")


def commit(offset: int, committed: int | None = 0, **more: object) -> Row:
    return {
        **RECORD,
        "record_offset": offset,
        "committed_offset": committed,
        "tombstone": committed is None,
        **more,
    }


def in_transaction(offset: int, producer: int, committed: int = 0, **more: object) -> Row:
    return commit(offset, committed, transactional=True, producer_id=producer, **more)


def marker(offset: int, end: str, producer: int, **more: object) -> Row:
    no_commit = dict.fromkeys(("group_id", "topic", "partition_id", "committed_at", "key_type", "value_version"))
    of_marker = {
        **{"kind": "marker", "marker": end, "producer_id": producer},
        **{"transactional": True, "record_offset": offset},
    }
    return {**RECORD, **no_commit, **of_marker, **more}


def start_position(offset: int, committed: int | None, **more: object) -> Row:
    return {**commit(offset, committed), "kind": START_POSITION, "whole": True, **more}


def merge(
    rows: Iterable[Row], *columns: str, batch: int = 1000, log_ends: pa.Table | None = None
) -> list[tuple[Any, ...]]:
    """The columns of the merged log, in the order of the log; `batch` is how many rows are packed at a time."""
    rows = list(rows)
    batches = [
        pa.RecordBatch.from_pylist(rows[start : start + batch], schema=SCHEMA) for start in range(0, len(rows), batch)
    ]
    read_to = {(row["cluster"], row["offsets_partition"]): row.get("log_read_to") for row in rows}
    pieces = [
        {**piece, "log_read_to": read_to[piece["cluster"], piece["offsets_partition"]]}
        for packed in pack_pieces(batches, Spill())
        for piece in packed.to_pylist()
    ]
    pieces.sort(key=lambda piece: (piece["cluster"], piece["offsets_partition"] or -1, piece["first_offset"]))
    piece_batches = [pa.RecordBatch.from_pylist(pieces[start : start + 2]) for start in range(0, len(pieces), 2)]
    tables = merge_logs(piece_batches, LogEnds(log_ends), Spill())
    names = list(dict.fromkeys([*_IN_THE_LOG, *columns]))
    merged = [row for table in tables for row in table.select(names).to_pylist()]
    return [tuple(row[name] for name in columns) for row in sorted(merged, key=log_order)]


def log_order(row: Row) -> list[tuple[bool, Any]]:
    return [(row[name] is not None, row[name]) for name in _IN_THE_LOG]


def random_logs(chance: random.Random) -> list[Row]:
    """A few logs with gaps, transactions, and copies that may contradict each other."""
    rows: list[Row] = []
    for log in range(chance.randint(1, 3)):
        of_log = {
            "cluster": chance.choice(("eu", "us")),
            "offsets_partition": log or None,
            "log_read_to": chance.choice((None, 3)),
        }
        offset = 4
        for _ in range(chance.randint(1, 30)):
            offset += chance.choice((1, 1, 1, 3))
            producer = chance.randint(1, 2)
            kind = chance.choice(("plain", "transaction", "marker"))
            for position in range(chance.choice((1, 1, 2, 3))):
                copy = {**of_log, "source_file": chance.choice("ab"), "source_position": position,
                        "later": offset > 40, "batch_leader_epoch": chance.choice((None, 1, 2))}  # fmt: skip
                if kind == "marker" or offset > 40:
                    rows.append(marker(offset, chance.choice(("commit", "commit", "abort")), producer, **copy))
                elif kind == "transaction":
                    rows.append(in_transaction(offset, producer, **copy))
                else:
                    metadata = chance.choice(("", "", None, "x"))
                    rows.append(commit(offset, chance.choice((1, 1, 2)), **{**copy, "metadata": metadata}))
    # Of later days one copy of each marker is read.
    later = {(row["cluster"], row["offsets_partition"], row["record_offset"]): row for row in rows if row["later"]}
    return [row for row in rows if not row["later"]] + list(later.values())
