"""The log lines of some days laid over the generations of their groups, one group after the other."""

import datetime as dt
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

import schemas
from spark_jobs.silver import in_turn
from spark_jobs.story.clients import OF_CLIENTS
from spark_jobs.story.story import Day, Story
from spark_jobs.story.told import Event, Recorded, Who

_GROUP = ("cluster", "group_id")
_GENERATION = (*_GROUP, "incarnation", "generation", "group_type")

# What comes back: a column per kind of row, with the columns of its table.
_ROWS = {"rebalance": "silver.rebalances", "session": "silver.member_sessions", "story": "silver.stories"}
_EVENT = (
    *("side", "event", "member_id", "client_id", "instance_id", "generation", "reason", "reason_text", "details"),
    *("origin", "source_position"),
)
_TIMES = ("recorded_at", "state_at", "assigned_at", "reconciled_at")
_RECORDED = (
    *("incarnation", "generation", "group_type", "protocol_type", "assignor", "member_count", "members"),
    *("partitions_assigned", "partitions_moved", "partitions_moved_minimum"),
)
# As numbers, so that a state can be written with them.
_NUMBERS = {"day": pa.int32(), "at": pa.int64()}


def told(
    events: DataFrame,
    generations: DataFrame,
    members: DataFrame,
    before: DataFrame,
    days: Iterable[tuple[str, dt.date]],
) -> DataFrame:
    """One row per rebalance, session and story, each in a column of its own.

    `events`, `generations` and `members` are the accepted rows of the days, `before` the stories that they start from.
    """
    who = F.struct("member_id", "client_id", "client_host", "instance_id", "replaces")
    in_generation = members.groupBy(*_GENERATION).agg(F.collect_list(who).alias("members"))
    recorded = generations.join(in_generation, [*_GENERATION], "left").select(
        *_GROUP,
        "day",
        F.col("recorded_at").alias("at"),
        F.struct(*(F.unix_micros(name).alias(name) for name in _TIMES), *_RECORDED).alias("recorded"),
    )
    group_kind = F.when(F.startswith("text", F.lit("[ShareConsumer ")), "share").alias("group_kind")
    lines = (
        events.where("group_id is not null and happened_at is not null")
        .where(_telling())
        .select(*_GROUP, "day", F.col("happened_at").alias("at"), F.struct(*_EVENT, group_kind).alias("line"))
    )
    carried = before.select(*_GROUP, "story")
    in_order = (
        recorded.unionByName(lines, allowMissingColumns=True)
        .unionByName(carried, allowMissingColumns=True)
        # Groups tell of very different numbers of events: more parts than cores are shared out more evenly.
        .repartition(4 * events.sparkSession.sparkContext.defaultParallelism, *_GROUP)
        .sortWithinPartitions(*_GROUP, F.col("story").isNull(), "day", "at", "line.origin", "line.source_position")
    )
    by_cluster = in_turn.numbered(days)
    types = in_turn.kinds({kind: schemas.arrow_ddl(table) for kind, table in _ROWS.items()})
    schema = to_arrow_schema(types)

    def tell_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in in_turn.plain(batch, _NUMBERS))
        found: list[dict[str, Any]] = []
        for (cluster, group), of_group in itertools.groupby(rows, key=lambda row: (row["cluster"], row["group_id"])):
            found += _tell({"cluster": cluster, "group_id": group}, list(of_group), by_cluster[cluster])
            if len(found) > 5_000:
                yield pa.RecordBatch.from_pylist(found, schema=schema)
                found = []
        yield pa.RecordBatch.from_pylist(found, schema=schema)

    return in_order.mapInArrow(tell_task, types)


def _telling() -> Column:
    """Most that a client says is about its positions and partitions, and no part of its group's story."""
    named = F.col("member_id").isNotNull() | F.col("reason").isNotNull()
    return (F.col("side") == "broker") | named | F.col("event").isin(*OF_CLIENTS)


def _tell(group: Mapping[str, Any], rows: Sequence[dict[str, Any]], days: Sequence[int]) -> Iterator[dict[str, Any]]:
    story = Story(next((json.loads(row["story"]) for row in rows if row["story"] is not None), None))
    for day in days:
        of_day = [row for row in rows if row["day"] == day]
        came = story.day(
            [_event(row) for row in of_day if row["line"] is not None],
            [_recorded(row["recorded"]) for row in of_day if row["recorded"] is not None],
        )
        where = {**group, "day": day}
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


def _event(row: Mapping[str, Any]) -> Event:
    line = {name: value for name, value in row["line"].items() if name not in ("origin", "source_position")}
    return Event(at=row["at"], **{**line, "details": dict(line["details"] or [])})


def _recorded(told: Mapping[str, Any]) -> Recorded:
    members = {
        one["member_id"]: Who(one["client_id"], one["client_host"], one["instance_id"], tuple(one["replaces"] or ()))
        for one in sorted(told["members"] or [], key=lambda one: str(one["member_id"]))
    }
    known = told["member_count"] is not None
    facts = {name: value for name, value in told.items() if name not in ("members", "member_count")}
    return Recorded(members=members if known else None, **facts)
