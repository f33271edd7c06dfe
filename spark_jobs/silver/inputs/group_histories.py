"""The history of each group on some days: its log lines merged with the generations of the offsets topic."""

import datetime as dt
import functools
import itertools
import json
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.columns import combined_codes, integers, run_starts, value_codes, value_ranks
from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.client_lines import GROUP_EVENTS
from kafka_telemetry.groups.history.group_history import GroupHistory, HistoryDay
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity, RecordedGeneration
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.task_rows import TaskRows, empty_frame
from spark_jobs.silver.inputs.row_by_row import day_number, day_numbers, rows_of_kind, struct_per_kind
from spark_jobs.silver.inputs.spilled_rows import SpilledRows, part_by_hash, read_parts, spill_parts

_GROUP = ("cluster", "group_id")
_GENERATION = (*_GROUP, "incarnation", "generation", "group_type")

# A task returns three kinds of rows, each in a struct column with the columns of a table.
_KINDS = {"rebalance": "silver.rebalances", "session": "silver.member_sessions", "story": "silver.stories"}
# The columns of silver.group_events that an event of a history has, in its order.
_EVENT = ("side", "event", "member_id", "client_id", "instance_id", "generation", "reason", "reason_text")
_LINE = (*_GROUP, "day", "happened_at", *_EVENT, "details", "text", "origin", "source_position")
# Most lines of clients are about positions and partitions, and no part of their group's history.
_IS_PART_OF_HISTORY = RowFilter(
    pc.field("group_id").is_valid()
    & pc.field("happened_at").is_valid()
    & (
        (pc.field("side") == "broker")
        | pc.field("member_id").is_valid()
        | pc.field("reason").is_valid()
        | pc.field("event").isin([*GROUP_EVENTS])
    ),
    ("group_id", "happened_at", "side", "member_id", "reason", "event"),
)
# How many lines are turned into Python objects at a time.
_LINES_AT_ONCE = 20_000
_TIMES = ("recorded_at", "state_at", "assigned_at", "reconciled_at")
_RECORDED = (
    *("incarnation", "generation", "group_type", "protocol_type", "assignor", "member_count", "members"),
    *("partitions_assigned", "partitions_moved", "partitions_moved_minimum"),
)


@dataclass(frozen=True)
class GroupHistories:
    frame: DataFrame

    @property
    def rebalances(self) -> DataFrame:
        """One row per generation that has members."""
        return rows_of_kind(self.frame, "rebalance")

    @property
    def sessions(self) -> DataFrame:
        """One row per member, from joining to leaving."""
        return rows_of_kind(self.frame, "session")

    @property
    def states(self) -> DataFrame:
        """One row per group and day: what the next day's lines may continue."""
        return rows_of_kind(self.frame, "story")


def follow_groups(
    events: SpilledRows,
    generations: DataFrame,
    members: DataFrame,
    states_before: DataFrame,
    days: Iterable[tuple[str, dt.date]],
    spill: Spill,
) -> GroupHistories:
    """`events` are understood log lines, each once, `generations` and `members` the valid rows of the offsets topic,
    `states_before` the states of the histories that the days start from."""
    member = F.struct("member_id", "client_id", "client_host", "instance_id", "replaces")
    in_generation = members.groupBy(*_GENERATION).agg(F.collect_list(member).alias("members"))
    recorded = generations.join(in_generation, [*_GENERATION], "left").select(
        *_GROUP,
        "day",
        F.struct(*(F.unix_micros(name).alias(name) for name in _TIMES), *_RECORDED).alias("recorded"),
    )
    # Groups have very different numbers of events: more parts than cores share them out more evenly.
    tasks = 4 * states_before.sparkSession.sparkContext.defaultParallelism
    part_of = functools.partial(part_by_hash, columns=_GROUP, number=tasks)
    parts = [
        spill_parts(rows, kind, part_of, spill)
        for kind, rows in (
            ("line", events.task_rows(_LINE, _IS_PART_OF_HISTORY)),
            ("recorded", TaskRows(recorded)),
            ("story", TaskRows(states_before.select(*_GROUP, "story"))),
        )
    ]
    by_group = functools.reduce(DataFrame.unionByName, parts).repartitionById(tasks, "part")
    days_by_cluster = day_numbers(days)
    types = _types()
    schema = to_arrow_schema(types)

    def follow_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[dict[str, Any]] = []
        for group in _groups(read_parts(parts, spill)):
            rows += _follow(group, days_by_cluster[group.cluster])
            if len(rows) > 5_000:
                yield pa.RecordBatch.from_pylist(rows, schema=schema)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return GroupHistories(by_group.mapInArrow(follow_task, types))


def no_histories(spark: SparkSession) -> GroupHistories:
    return GroupHistories(empty_frame(spark, _types()))


def _types() -> StructType:
    return struct_per_kind({kind: schemas.arrow_ddl(table) for kind, table in _KINDS.items()})


@dataclass
class _Group:
    """The inputs of a group's history, by day: its log lines in the order of time, its generations, the state before."""

    cluster: str
    group_id: str
    events: dict[int, list[LogEvent]] = field(default_factory=lambda: defaultdict(list))
    recorded: dict[int, list[RecordedGeneration]] = field(default_factory=lambda: defaultdict(list))
    story: str | None = None


def _groups(parts: Iterable[tuple[str, pa.Table]]) -> Iterator[_Group]:
    groups: dict[tuple[str, str], _Group] = {}
    lines = []
    for kind, rows in parts:
        if kind == "line":
            lines.append(rows)
            continue
        for row in rows.to_pylist():
            key = row["cluster"], row["group_id"]
            group = groups.setdefault(key, _Group(*key))
            if kind == "story":
                group.story = row["story"]
            else:
                group.recorded[day_number(row["day"])].append(_recorded(row["recorded"]))
    for key, of_group in _events(pa.concat_tables(lines).combine_chunks()) if lines else ():
        group = groups.pop(key) if key in groups else _Group(*key)
        for _, day, event in of_group:
            group.events[day].append(event)
        yield group
    yield from groups.values()


def _events(lines: pa.Table) -> Iterator[tuple[tuple[str, str], Iterable[tuple[object, int, LogEvent]]]]:
    """The lines of each group in the order of time; at one time in the order of their files."""
    origin = value_ranks(lines["origin"])
    # Files without an origin come first.
    origin[lines["origin"].is_null().to_numpy()] = -1
    group = combined_codes(value_codes(lines["cluster"]), value_codes(lines["group_id"]))
    order = np.lexsort((integers(lines["source_position"]), origin, integers(lines["happened_at"]), group))
    lines = lines.take(pa.array(order))
    cuts = [0]
    for start in np.flatnonzero(run_starts(group[order])).tolist():
        if start - cuts[-1] >= _LINES_AT_ONCE:
            cuts.append(start)
    for start, end in itertools.pairwise([*cuts, len(lines)]):
        yield from itertools.groupby(_lines(lines.slice(start, end - start)), key=operator.itemgetter(0))


def _lines(lines: pa.Table) -> Iterator[tuple[tuple[str, str], int, LogEvent]]:
    """Each line with its group and its day."""
    column = {name: lines[name].to_pylist() for name in (*_GROUP, *_EVENT, "details")}
    of_share = pc.starts_with(lines["text"], "[ShareConsumer ").to_pylist()
    at, day = integers(lines["happened_at"]).tolist(), integers(lines["day"]).tolist()
    group = zip(*(column[name] for name in _GROUP), strict=True)
    told = zip(*(column[name] for name in _EVENT), strict=True)
    for key, on, when, words, details, is_share in zip(group, day, at, told, column["details"], of_share, strict=True):
        yield key, on, LogEvent._make((when, *words, dict(details or ()), "share" if is_share else None))


def _follow(group: _Group, days: Sequence[int]) -> Iterator[dict[str, Any]]:
    history = GroupHistory(history_state.decode(json.loads(group.story)) if group.story is not None else None)
    for day in days:
        came = history.add_day(group.events.get(day, ()), group.recorded.get(day, ()))
        where = {"cluster": group.cluster, "group_id": group.group_id, "day": day}
        yield from _rows(came, where)
        state = history.state()
        if not state.is_empty:
            text = json.dumps(history_state.encode(state), ensure_ascii=False, separators=(",", ":"))
            yield {"story": {**where, "story": text}}


def _rows(day: HistoryDay, where: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rebalance in day.rebalances:
        yield {"rebalance": {**where, **rebalance}}
    for session in day.sessions:
        yield {"session": {**where, **session}}


def _recorded(told: Mapping[str, Any]) -> RecordedGeneration:
    members = {
        one["member_id"]: MemberIdentity(one["client_id"], one["client_host"], one["instance_id"], tuple(one["replaces"] or ()))
        for one in sorted(told["members"] or [], key=lambda one: str(one["member_id"]))
    }
    known = told["member_count"] is not None
    facts = {name: value for name, value in told.items() if name not in ("members", "member_count")}
    return RecordedGeneration(members=members if known else None, **facts)
