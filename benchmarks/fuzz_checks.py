"""Reads a fuzzed file, follows what it contains as silver does, and checks every row against the types of its table."""

import datetime as dt
import functools
import io
import json
import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import schemas
from benchmarks.fuzz_kinds import FuzzedKind
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME
from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, RecordSource, parse_value
from kafka_telemetry.groups.coordinator.replay import ReplayedDay, replay_days
from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity, RecordedGeneration
from spark_jobs.silver.inputs.group_observations import observations_by_group

_TIME = pa.timestamp("us", tz="UTC")
_TYPES = {
    "string": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "smallint": pa.int16(), "boolean": pa.bool_(),
    "double": pa.float64(), "date": pa.date32(), "timestamp": _TIME, "binary": pa.binary(),
}  # fmt: skip
_FIRST_US, _LAST_US = EARLIEST_TIME * 1000, LATEST_TIME * 1000 + 999
_INT64 = 1 << 63
_DAY_US = 86_400_000_000
_NOT_UNDERSTOOD = pa.array(["unknown", "damaged"])
# Columns of silver's rows that Spark adds to those of the replay and the history.
_ADDED = {"cluster": "c", "day": 0, "offsets_partition": 1, "group_id": "g"}
_GENERATION = ("group_id", "incarnation", "generation", "group_type")
_RECORDED = (
    *("incarnation", "generation", "group_type", "protocol_type", "assignor", "recorded_at", "state_at", "assigned_at"),
    *("reconciled_at", "partitions_assigned", "partitions_moved", "partitions_moved_minimum"),
)
# So many recorded generations are remembered of a group.
_REMEMBERED = 4
_MORE_COLUMNS = {"member_ids", "contradicted", "copies", "shared_partitions", "shares_instance", "holes", "since"}


@functools.cache
def arrow_type(ddl: str) -> pa.DataType:
    """The Arrow type of a Spark type such as array<struct<topic:string,partitions:array<int>>>."""
    outer, _, inner = ddl.removesuffix(">").partition("<")
    if not inner:
        return _TYPES[outer]
    parts = re.findall(r"(?:[^,<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+", inner)
    if outer == "struct":
        return pa.struct([(name, arrow_type(kind)) for name, _, kind in (part.partition(":") for part in parts)])
    types = [arrow_type(part) for part in parts]
    return pa.list_(*types) if outer == "array" else pa.map_(*types)


@functools.cache
def arrow_schema(table: str) -> pa.Schema:
    columns = schemas.table(table).columns
    return pa.schema([pa.field(column.name, arrow_type(column.type), column.nullable) for column in columns])


class Follower:
    """Reads files, and follows their groups. Groups of logs meet generations that were recorded in dumps read before."""

    def __init__(self) -> None:
        self._recorded: dict[str, deque[RecordedGeneration]] = defaultdict(lambda: deque(maxlen=_REMEMBERED))

    def read_and_follow(self, kind: FuzzedKind, content: bytes) -> Receipt:
        """Raises if the file can't be read, its receipt doesn't add up, or a row of it can't be stored or followed."""
        reading = kind.read(io.BytesIO(content), kind.file_name)
        batches: list[pa.RecordBatch] = []
        while True:
            try:
                batches.append(next(reading))
            except StopIteration as end:
                receipt: Receipt = end.value
                break
        _check_receipt(receipt, batches, kind.table)
        for batch in batches:
            _check_batch(batch, kind.table)
        if kind.table == "bronze.log_lines" and batches:
            self._follow_lines(pa.Table.from_batches(batches))
        elif kind.table == "bronze.offset_records":
            self._replay_records([row for batch in batches for row in batch.to_pylist() if row["kind"] == "group"])
        return receipt

    def _follow_lines(self, lines: pa.Table) -> None:
        """Follows the groups of log lines over their days, each started from the state of the day before."""
        days = lines["happened_at"].cast(pa.timestamp("us")).cast(pa.date32())
        more = {"cluster": pa.repeat("c", len(lines)), "origin": pa.nulls(len(lines), pa.string()), "day": days}
        for name, column in more.items():
            lines = lines.append_column(name, column)
        has_time_and_group = pc.and_(pc.is_valid(lines["group_id"]), pc.is_valid(lines["happened_at"]))
        events = lines.filter(pc.and_(has_time_and_group, pc.equal(lines["kind"], "event")))
        for group in observations_by_group([("line", events)]):
            history = GroupHistory()
            for day in sorted(group.events):
                built = history.add_day(group.events[day], self._recorded[group.group_id])
                check_rows("silver.rebalances", built.rebalances)
                check_rows("silver.member_sessions", built.sessions)
                text = json.dumps(history_state.encode(history.state()), ensure_ascii=False)
                check_rows("silver.stories", [{"group_id": group.group_id, "story": text}])
                history = GroupHistory(history_state.decode(json.loads(text)))

    def _replay_records(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Replays the group records over two days, the second one started from the state of the first."""
        groups: dict[str, Group] = {}
        for day, of_day in enumerate((rows[: len(rows) // 2], rows[len(rows) // 2 :])):
            records = [_record(row, day, holes=number % 3) for number, row in enumerate(of_day)]
            (replayed,) = replay_days(groups, records, [day], {})
            check_rows("silver.group_generations", [row for row in replayed.generations if "generation" in row])
            check_rows("silver.group_members", replayed.members)
            check_rows("silver.groups", replayed.groups)
            check_rows("silver.group_owners", replayed.owner_changes)
            self._remember(replayed)
            states = [json.loads(row["heap"]) for row in replayed.groups]
            groups = {state["group_id"]: group_state.decode(state, complete=True) for state in states}

    def _remember(self, replayed: ReplayedDay) -> None:
        members: dict[tuple[Any, ...], dict[str, MemberIdentity]] = defaultdict(dict)
        for row in replayed.members:
            identity = MemberIdentity(
                *(row["client_id"], row["client_host"], row["instance_id"], row["session_timeout_ms"]),
                tuple(row["replaces"]),
            )
            members[tuple(row[name] for name in _GENERATION)][row["member_id"]] = identity
        for row in replayed.generations:
            if "generation" in row:
                key = tuple(row[name] for name in _GENERATION)
                columns: dict[str, Any] = {name: row.get(name) for name in _RECORDED}
                known = members[key] if row["member_count"] is not None else None
                self._recorded[row["group_id"]].append(RecordedGeneration(members=known, **columns))


def _check_receipt(receipt: Receipt, batches: Sequence[pa.RecordBatch], table: str) -> None:
    counts = (receipt.records, receipt.understood, receipt.not_understood, receipt.ignored)
    assert receipt.records == sum(counts[1:]), receipt
    assert all(0 <= count < _INT64 for count in (*counts, *receipt.details.values())), receipt
    kinds = pa.chunked_array([batch.column("kind") for batch in batches], pa.string())
    not_understood = pc.sum(pc.is_in(kinds, _NOT_UNDERSTOOD)).as_py() or 0
    if table != "bronze.lag_readings":
        assert not_understood == receipt.not_understood, (receipt, not_understood)
    if table == "bronze.log_lines":
        assert len(kinds) == receipt.understood + receipt.not_understood, receipt


def _check_batch(batch: pa.RecordBatch, table: str) -> None:
    """Checks that every column can be stored in the table, and every time in Spark, Delta and Python."""
    batch.validate(full=True)
    declared = arrow_schema(table)
    for field, column in zip(batch.schema, batch.columns, strict=True):
        if field.name in declared.names:
            assert column.type == declared.field(field.name).type, (field.name, column.type)
            assert declared.field(field.name).nullable or not column.null_count, (table, field.name)
        if pa.types.is_timestamp(field.type):
            bounds = pc.min_max(column.cast(pa.int64())).as_py()
            assert bounds["min"] is None or (bounds["min"] >= _FIRST_US and bounds["max"] <= _LAST_US), (field, bounds)


def _record(row: Mapping[str, Any], day: int, holes: int) -> GroupRecord:
    recorded_at = row["recorded_at"]
    return GroupRecord(
        group_id=row["group_id"],
        key_type=row["key_type"],
        member_id=row["member_id"],
        regular_expression=row["regular_expression"],
        value=parse_value(row["value_json"], tombstone=bool(row["tombstone"])),
        day=day,
        recorded_at=None
        if recorded_at is None
        else (recorded_at - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1),
        record_offset=row["record_offset"],
        holes=holes,
        source=RecordSource(day, "0.log", row["source_position"], 1),
    )


def check_rows(table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Checks that all rows can be stored in the columns of a silver table."""
    schema = arrow_schema(table)
    unknown = {name for row in rows for name in row} - set(schema.names) - _MORE_COLUMNS
    assert not unknown, (table, unknown)
    batch = pa.RecordBatch.from_pylist([{**_ADDED, **row} for row in rows], schema=schema)
    _check_batch(batch, table)
