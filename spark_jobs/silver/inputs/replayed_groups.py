"""The group records of some days, replayed as a coordinator replays them when it loads a partition of the offsets topic."""

import datetime as dt
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, RecordSource, parse_value
from kafka_telemetry.groups.coordinator.replay import ReplayedDay, TopicNames, replay_days
from kafka_telemetry.groups.coordinator.replayed_rows import row_without_generation
from spark_jobs.lake.task_rows import empty_frame
from spark_jobs.silver.inputs.end_of_day import LOG
from spark_jobs.silver.inputs.row_by_row import day_numbers, plain_rows, rows_of_kind, struct_per_kind
from spark_jobs.silver.inputs.set_aside import Problems

# A task returns four kinds of rows, each in a struct column: the columns of a table, and what the rules need beside them.
_KINDS = {
    "generation": ("silver.group_generations", ["member_ids array<string>", "contradicted boolean", "copies bigint"]),
    "member": ("silver.group_members", ["shared_partitions int", "shares_instance boolean", "copies bigint"]),
    "group": ("silver.groups", ["holes bigint"]),
    "owner": ("silver.group_owners", []),
}
# Columns of a group that depend on how far its log was read, which is known later.
_JOINED_LATER = {"group": ("complete", "log_read_to")}
# Days and times as integers, so that a state can be written with them.
_AS_INTEGERS = {"day": pa.int32(), "delivered_on": pa.int32(), "recorded_at": pa.int64()}


@dataclass(frozen=True)
class ReplayedGroups:
    frame: DataFrame

    @property
    def generations(self) -> DataFrame:
        """One row per group record; the first record of a generation has its columns."""
        return rows_of_kind(self.frame, "generation")

    @property
    def members(self) -> DataFrame:
        """One row per member of a generation."""
        return rows_of_kind(self.frame, "member")

    @property
    def groups(self) -> DataFrame:
        """One row per group and day: the group as the day leaves it."""
        return rows_of_kind(self.frame, "group")

    @property
    def owner_changes(self) -> DataFrame:
        """One row per change of a group's generation or of the owner of a partition."""
        return rows_of_kind(self.frame, "owner")


def replay_groups(
    records: DataFrame,
    groups_before: DataFrame,
    days: Iterable[tuple[str, dt.date]],
    topics: Mapping[str, TopicNames],
    problems: Problems,
) -> ReplayedGroups:
    """Replays one log partition after the other.

    `records` are the group records of the merged log, `groups_before` the groups as the days start with them, `topics` the
    names of the topic ids of each cluster.
    """
    in_log_order = (
        records.select(
            *(*LOG, "day", "group_id", "member_id", "regular_expression", "key_type", "value_json", "tombstone"),
            *("recorded_at", "record_offset", "holes", "contradicted", "copies"),
            *("delivered_on", "source_file", "source_position"),
        )
        .unionByName(groups_before.select(*LOG, "group_id", "heap", "complete"), allowMissingColumns=True)
        .repartition(*LOG)
        .sortWithinPartitions(*LOG, F.col("heap").isNull(), "day", "record_offset", "source_file", "source_position")
    )
    days_by_cluster = day_numbers(days)
    types = _types()
    schema = to_arrow_schema(types)

    def replay_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in plain_rows(batch, _AS_INTEGERS))
        for (cluster, partition), rows_of_log in itertools.groupby(
            rows, key=lambda row: tuple(row[name] for name in LOG)
        ):
            log = _LogDays(cluster, days_by_cluster[cluster], topics.get(cluster, {}))
            for day in _replay_safely(list(rows_of_log), log, problems):
                yield _batch(day, {"cluster": cluster, "day": day.day, "offsets_partition": partition}, schema)

    return ReplayedGroups(in_log_order.mapInArrow(replay_task, types))


def no_groups(spark: SparkSession) -> ReplayedGroups:
    return ReplayedGroups(empty_frame(spark, _types()))


def _types() -> StructType:
    return struct_per_kind({kind: _columns(kind) for kind in _KINDS})


def _columns(kind: str) -> str:
    table, added = _KINDS[kind]
    columns = [
        f"`{column.name}` {column.type}"
        for column in schemas.table(table).columns
        if column.name not in _JOINED_LATER.get(kind, ())
    ]
    return ", ".join([*columns, *added])


class _LogDays(NamedTuple):
    cluster: str
    days: Sequence[int]
    topics: TopicNames


def _replay_safely(rows: list[dict[str, Any]], log: _LogDays, problems: Problems) -> Iterator[ReplayedDay]:
    """Replays a log. If that raises, group by group: one that still raises keeps the state that it started with, and its
    records are only counted."""
    try:
        yield from list(_replay(rows, log))
        return
    except Exception:
        by_group: dict[str, list[dict[str, Any]]] = {row["group_id"]: [] for row in rows}
    for row in rows:
        by_group[row["group_id"]].append(row)
    for group_id, rows_of_group in by_group.items():
        try:
            yield from list(_replay(rows_of_group, log))
        except Exception as error:
            problems.report(
                "silver.group_generations", log.cluster, log.days, json.dumps({"group_id": group_id}), error
            )
            yield from _count_only(rows_of_group, log)


def _count_only(rows: list[dict[str, Any]], log: _LogDays) -> Iterator[ReplayedDay]:
    records = [row for row in rows if row["heap"] is None]
    try:
        unchanged = list(_replay([row for row in rows if row["heap"] is not None], log))
    except Exception:
        unchanged = [ReplayedDay(day) for day in log.days]
    for day in unchanged:
        day.generations.extend(
            row_without_generation(_record(row | {"value_json": None})) for row in records if row["day"] == day.day
        )
        yield day


def _replay(rows: Iterable[dict[str, Any]], log: _LogDays) -> Iterator[ReplayedDay]:
    groups: dict[str, Group] = {}
    records = []
    for row in rows:
        if row["heap"] is None:
            records.append(_record(row))
        else:
            group = group_state.decode(json.loads(row["heap"]), complete=bool(row["complete"]))
            groups[group.group_id] = group
    return replay_days(groups, records, log.days, log.topics)


def _record(row: dict[str, Any]) -> GroupRecord:
    return GroupRecord(
        group_id=row["group_id"],
        key_type=row["key_type"],
        member_id=row["member_id"],
        regular_expression=row["regular_expression"],
        value=parse_value(row["value_json"], tombstone=bool(row["tombstone"])),
        day=row["day"],
        recorded_at=row["recorded_at"],
        record_offset=row["record_offset"],
        holes=row["holes"],
        source=RecordSource(row["delivered_on"], row["source_file"], row["source_position"], row["copies"]),
        contradicted=row["contradicted"],
    )


def _batch(day: ReplayedDay, key: Mapping[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    rows = {"generation": day.generations, "member": day.members, "group": day.groups, "owner": day.owner_changes}
    return pa.RecordBatch.from_pylist(
        [{kind: {**key, **row}} for kind, found in rows.items() for row in found], schema=schema
    )
