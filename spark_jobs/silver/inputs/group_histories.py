"""The history of each group on some days: its log lines merged with the generations of the offsets topic."""

import datetime as dt
import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.client_lines import GROUP_EVENTS
from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.reading.logging_clients import PARTITION_EVENTS
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.task_rows import TaskRows, empty_frame
from spark_jobs.silver.inputs.group_observations import LINE_COLUMNS, GroupObservations, observations_by_group
from spark_jobs.silver.inputs.row_by_row import day_numbers, rows_of_kind, struct_per_kind
from spark_jobs.silver.inputs.set_aside import Problems
from spark_jobs.silver.inputs.spilled_rows import SpilledRows, part_by_hash, read_parts, spill_parts

_GROUP = ("cluster", "group_id")
_GENERATION = (*_GROUP, "incarnation", "generation", "group_type")

# A task returns four kinds of rows, each in a struct column with the columns of a table.
_KINDS = {
    "rebalance": "silver.rebalances",
    "session": "silver.member_sessions",
    "read_start": "silver.read_starts",
    "story": "silver.stories",
}
# Most lines of clients are about positions and partitions, and no part of their group's history.
_IS_PART_OF_HISTORY = RowFilter(
    pc.field("group_id").is_valid()
    & pc.field("happened_at").is_valid()
    & (
        (pc.field("side") == "broker")
        | pc.field("member_id").is_valid()
        | pc.field("reason").is_valid()
        | pc.field("event").isin([*GROUP_EVENTS, *PARTITION_EVENTS])
    ),
    ("group_id", "happened_at", "side", "member_id", "reason", "event"),
)
_TIMES = ("recorded_at", "state_at", "assigned_at", "reconciled_at")
_OWNER_CHANGE = ("record_offset", "incarnation", "generation", "group_type", "held")
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
    def read_starts(self) -> DataFrame:
        """One row each time that a member starts to read a partition."""
        return rows_of_kind(self.frame, "read_start")

    @property
    def states(self) -> DataFrame:
        """One row per group and day: what the next day's lines may continue."""
        return rows_of_kind(self.frame, "story")


def follow_groups(
    events: SpilledRows,
    generations: DataFrame,
    members: DataFrame,
    owner_changes: DataFrame,
    states_before: DataFrame,
    days: Iterable[tuple[str, dt.date]],
    spill: Spill,
    problems: Problems,
) -> GroupHistories:
    """`events` are understood log lines, each once, `generations` and `members` the valid rows of the offsets topic,
    `owner_changes` what group records change of the owners, `states_before` the states of the histories that the days start from."""
    member = F.struct("member_id", "client_id", "client_host", "instance_id", "session_timeout_ms", "replaces")
    in_generation = members.groupBy(*_GENERATION).agg(F.collect_list(member).alias("members"))
    recorded = generations.join(in_generation, [*_GENERATION], "left").select(
        *_GROUP,
        "day",
        F.struct(*(F.unix_micros(name).alias(name) for name in _TIMES), *_RECORDED).alias("recorded"),
    )
    # The state when the day begins is known from the day before.
    changes = owner_changes.where("since is not null").select(
        *_GROUP, "day", F.struct(F.unix_micros("since").alias("since"), *_OWNER_CHANGE).alias("change")
    )
    # Groups have very different numbers of events: more parts than cores share them out more evenly.
    tasks = 4 * states_before.sparkSession.sparkContext.defaultParallelism
    part_of = functools.partial(part_by_hash, columns=_GROUP, number=tasks)
    parts = [
        spill_parts(rows, kind, part_of, spill)
        for kind, rows in (
            ("line", events.task_rows(LINE_COLUMNS, _IS_PART_OF_HISTORY)),
            ("recorded", TaskRows(recorded)),
            ("owner", TaskRows(changes)),
            ("story", TaskRows(states_before.select(*_GROUP, "story"))),
        )
    ]
    by_group = functools.reduce(DataFrame.unionByName, parts).repartitionById(tasks, "part")
    days_by_cluster = day_numbers(days)
    types = _types()
    schema = to_arrow_schema(types)

    def follow_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[dict[str, Any]] = []
        for group in observations_by_group(read_parts(parts, spill)):
            rows += _follow_safely(group, days_by_cluster[group.cluster], problems)
            if len(rows) > 5_000:
                yield pa.RecordBatch.from_pylist(rows, schema=schema)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return GroupHistories(by_group.mapInArrow(follow_task, types))


def no_histories(spark: SparkSession) -> GroupHistories:
    return GroupHistories(empty_frame(spark, _types()))


def _types() -> StructType:
    return struct_per_kind({kind: schemas.arrow_ddl(table) for kind, table in _KINDS.items()})


def _follow_safely(group: GroupObservations, days: Sequence[int], problems: Problems) -> list[dict[str, Any]]:
    """A group whose history raises keeps the state that it started with."""
    try:
        return list(_follow(group, days))
    except Exception as error:
        subject = json.dumps({"group_id": group.group_id}, ensure_ascii=False)
        problems.report("silver.rebalances", group.cluster, days, subject, error)
    if group.state is None:
        return []
    key = {"cluster": group.cluster, "group_id": group.group_id, "story": group.state}
    return [{"story": {**key, "day": day}} for day in days]


def _follow(group: GroupObservations, days: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The rows of a group's days, each in the column of its kind."""
    history = GroupHistory(history_state.decode(json.loads(group.state)) if group.state is not None else None)
    for day in days:
        built = history.add_day(
            group.events.get(day, ()), group.recorded.get(day, ()), group.owner_changes.get(day, ())
        )
        key = {"cluster": group.cluster, "group_id": group.group_id, "day": day}
        for rebalance in built.rebalances:
            yield {"rebalance": {**key, **rebalance}}
        for session in built.sessions:
            yield {"session": {**key, **session}}
        for read_start in built.read_starts:
            yield {"read_start": {**key, **read_start}}
        state = history.state()
        if not state.is_empty:
            text = json.dumps(history_state.encode(state), ensure_ascii=False, separators=(",", ":"))
            yield {"story": {**key, "story": text}}
