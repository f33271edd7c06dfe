"""The log lines of some days laid over the generations of their groups, one group after the other."""

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
from kafka_telemetry.groups.history.client_log import OF_CLIENTS
from kafka_telemetry.groups.history.history import Day, Story
from kafka_telemetry.groups.history.observations import Event, Recorded, Who
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.task_rows import TaskRows, empty_frame
from spark_jobs.silver.inputs import row_by_row
from spark_jobs.silver.inputs.log_lines import EVENT
from spark_jobs.silver.inputs.spilled_rows import Kept, in_parts, part_by, taken

_GROUP = ("cluster", "group_id")
_GENERATION = (*_GROUP, "incarnation", "generation", "group_type")

# What comes back: a column per kind of row, with the columns of its table.
_ROWS = {"rebalance": "silver.rebalances", "session": "silver.member_sessions", "story": "silver.stories"}
# As an event has them.
_EVENT = ("side", "event", "member_id", "client_id", "instance_id", "generation", "reason", "reason_text")
_LINE = (*_GROUP, "day", "happened_at", *_EVENT, "details", "text", "origin", "source_position")
# Most that a client says is about its positions and partitions, and no part of its group's story.
_TELLING = EVENT.and_(
    RowFilter(
        pc.field("group_id").is_valid()
        & pc.field("happened_at").is_valid()
        & (
            (pc.field("side") == "broker")
            | pc.field("member_id").is_valid()
            | pc.field("reason").is_valid()
            | pc.field("event").isin([*OF_CLIENTS])
        ),
        ("group_id", "happened_at", "side", "member_id", "reason", "event"),
    )
)
# So many lines are plain Python at a time.
_LINES_AT_ONCE = 20_000
_TIMES = ("recorded_at", "state_at", "assigned_at", "reconciled_at")
_RECORDED = (
    *("incarnation", "generation", "group_type", "protocol_type", "assignor", "member_count", "members"),
    *("partitions_assigned", "partitions_moved", "partitions_moved_minimum"),
)


def told(
    lines: Kept,
    generations: DataFrame,
    members: DataFrame,
    before: DataFrame,
    days: Iterable[tuple[str, dt.date]],
    spill: Spill,
) -> DataFrame:
    """One row per rebalance, session and story, each in a column of its own.

    `lines` are log lines, each once, `generations` and `members` the accepted rows of the days, `before` the stories that
    they start from.
    """
    who = F.struct("member_id", "client_id", "client_host", "instance_id", "replaces")
    in_generation = members.groupBy(*_GENERATION).agg(F.collect_list(who).alias("members"))
    recorded = generations.join(in_generation, [*_GENERATION], "left").select(
        *_GROUP,
        "day",
        F.struct(*(F.unix_micros(name).alias(name) for name in _TIMES), *_RECORDED).alias("recorded"),
    )
    # Groups tell of very different numbers of events: more parts than cores are shared out more evenly.
    tasks = 4 * before.sparkSession.sparkContext.defaultParallelism
    of_group = functools.partial(part_by, columns=_GROUP, number=tasks)
    parts = [
        in_parts(rows, kind, of_group, spill)
        for kind, rows in (
            ("line", lines.made(_LINE, _TELLING)),
            ("recorded", TaskRows(recorded)),
            ("story", TaskRows(before.select(*_GROUP, "story"))),
        )
    ]
    gathered = functools.reduce(DataFrame.unionByName, parts).repartitionById(tasks, "part")
    by_cluster = row_by_row.numbered(days)
    types = _types()
    schema = to_arrow_schema(types)

    def tell_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: list[dict[str, Any]] = []
        for group in _groups(taken(parts, spill)):
            found += _tell(group, by_cluster[group.cluster])
            if len(found) > 5_000:
                yield pa.RecordBatch.from_pylist(found, schema=schema)
                found = []
        yield pa.RecordBatch.from_pylist(found, schema=schema)

    return gathered.mapInArrow(tell_task, types)


def nothing(spark: SparkSession) -> DataFrame:
    """As told, where no group is told of."""
    return empty_frame(spark, _types())


def _types() -> StructType:
    return row_by_row.kinds({kind: schemas.arrow_ddl(table) for kind, table in _ROWS.items()})


@dataclass
class _Group:
    """What is told of a group on some days: its lines in the order of time, its generations, the story before."""

    cluster: str
    group_id: str
    events: dict[int, list[Event]] = field(default_factory=lambda: defaultdict(list))
    recorded: dict[int, list[Recorded]] = field(default_factory=lambda: defaultdict(list))
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
                group.recorded[row_by_row.day_number(row["day"])].append(_recorded(row["recorded"]))
    for key, of_group in _events(pa.concat_tables(lines).combine_chunks()) if lines else ():
        group = groups.pop(key) if key in groups else _Group(*key)
        for _, day, event in of_group:
            group.events[day].append(event)
        yield group
    yield from groups.values()


def _events(lines: pa.Table) -> Iterator[tuple[tuple[str, str], Iterable[tuple[object, int, Event]]]]:
    """Group by group the lines in the order of time; at one time in the order of their files."""
    origin = value_ranks(lines["origin"])
    # A file that names no origin comes first.
    origin[lines["origin"].is_null().to_numpy()] = -1
    group = combined_codes(value_codes(lines["cluster"]), value_codes(lines["group_id"]))
    order = np.lexsort((integers(lines["source_position"]), origin, integers(lines["happened_at"]), group))
    lines = lines.take(pa.array(order))
    cuts = [0]
    for start in np.flatnonzero(run_starts(group[order])).tolist():
        if start - cuts[-1] >= _LINES_AT_ONCE:
            cuts.append(start)
    for start, end in itertools.pairwise([*cuts, len(lines)]):
        yield from itertools.groupby(_told(lines.slice(start, end - start)), key=operator.itemgetter(0))


def _told(lines: pa.Table) -> Iterator[tuple[tuple[str, str], int, Event]]:
    """Each line with its group and its day."""
    column = {name: lines[name].to_pylist() for name in (*_GROUP, *_EVENT, "details")}
    of_share = pc.starts_with(lines["text"], "[ShareConsumer ").to_pylist()
    at, day = integers(lines["happened_at"]).tolist(), integers(lines["day"]).tolist()
    group = zip(*(column[name] for name in _GROUP), strict=True)
    told = zip(*(column[name] for name in _EVENT), strict=True)
    for key, on, when, words, details, is_share in zip(group, day, at, told, column["details"], of_share, strict=True):
        yield key, on, Event._make((when, *words, dict(details or ()), "share" if is_share else None))


def _tell(group: _Group, days: Sequence[int]) -> Iterator[dict[str, Any]]:
    story = Story(json.loads(group.story) if group.story is not None else None)
    for day in days:
        came = story.day(group.events.get(day, ()), group.recorded.get(day, ()))
        where = {"cluster": group.cluster, "group_id": group.group_id, "day": day}
        yield from _rows(came, where)
        state = story.to_json()
        if (
            state["sessions"]
            or state["before"]
            or state["log"]["pending"]
            or state["log"]["last_generation"] is not None
        ):
            yield {"story": {**where, "story": json.dumps(state, ensure_ascii=False, separators=(",", ":"))}}


def _rows(day: Day, where: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rebalance in day.rebalances:
        yield {"rebalance": {**where, **rebalance}}
    for session in day.sessions:
        yield {"session": {**where, **session}}


def _recorded(told: Mapping[str, Any]) -> Recorded:
    members = {
        one["member_id"]: Who(one["client_id"], one["client_host"], one["instance_id"], tuple(one["replaces"] or ()))
        for one in sorted(told["members"] or [], key=lambda one: str(one["member_id"]))
    }
    known = told["member_count"] is not None
    facts = {name: value for name, value in told.items() if name not in ("members", "member_count")}
    return Recorded(members=members if known else None, **facts)
