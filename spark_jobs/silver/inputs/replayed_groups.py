"""The group records of some days followed as the coordinator follows them, one log partition after the other."""

import datetime as dt
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, Place, value_of
from kafka_telemetry.groups.coordinator.replay import Followed, Names, follow
from spark_jobs.lake.task_rows import empty_frame
from spark_jobs.silver.inputs import row_by_row

_LOG = ("cluster", "offsets_partition")

# What comes back: a column per kind of row, with the columns of its table and what the rules ask beside them.
_ROWS = {
    "generation": ("silver.group_generations", ["member_ids array<string>", "contradicted boolean", "copies bigint"]),
    "member": ("silver.group_members", ["shared_partitions int", "shares_instance boolean", "copies bigint"]),
    "group": ("silver.groups", ["holes bigint"]),
    "owner": ("silver.group_owners", []),
}
# Told of a group by how far its log was read when the day ends.
_JOINED = {"group": ("complete", "log_read_to")}
# As numbers, so that a state can be written with them.
_NUMBERS = {"day": pa.int32(), "delivered_on": pa.int32(), "recorded_at": pa.int64()}


def followed(
    log: DataFrame, before: DataFrame, days: Iterable[tuple[str, dt.date]], names: Mapping[str, Names]
) -> DataFrame:
    """One row per group record, per member told, per group and day, and per change of owners, each in a column of its own.

    `log` is one log with `holes` counted from the start of the days, `before` the groups that the days start from,
    `names` what the topic ids of each cluster are called.
    """
    records = log.where("kind = 'group'").select(
        *(*_LOG, "day", "group_id", "member_id", "regular_expression", "key_type", "value_json", "tombstone"),
        *("recorded_at", "record_offset", "holes", "contradicted", "copies"),
        *("delivered_on", "source_file", "source_position"),
    )
    in_order = (
        records.unionByName(before.select(*_LOG, "heap", "complete"), allowMissingColumns=True)
        .repartition(*_LOG)
        .sortWithinPartitions(*_LOG, F.col("heap").isNull(), "day", "record_offset", "source_file", "source_position")
    )
    by_cluster = row_by_row.numbered(days)
    types = _types()
    schema = to_arrow_schema(types)

    def follow_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in row_by_row.plain(batch, _NUMBERS))
        for (cluster, partition), of_log in itertools.groupby(rows, key=lambda row: (row["cluster"], row["offsets_partition"])):  # fmt: skip
            for told in _follow(of_log, by_cluster[cluster], names.get(cluster, {})):
                yield _batch(told, {"cluster": cluster, "day": told.day, "offsets_partition": partition}, schema)

    return in_order.mapInArrow(follow_task, types)


def nothing(spark: SparkSession) -> DataFrame:
    """As followed, where no group is told of."""
    return empty_frame(spark, _types())


def rows_of(followed: DataFrame, kind: str) -> DataFrame:
    return followed.where(F.col(kind).isNotNull()).select(f"{kind}.*")


def _types() -> StructType:
    return row_by_row.kinds({kind: _columns(kind) for kind in _ROWS})


def _columns(kind: str) -> str:
    table, asked = _ROWS[kind]
    told = [
        f"`{column.name}` {column.type}"
        for column in schemas.table(table).columns
        if column.name not in _JOINED.get(kind, ())
    ]
    return ", ".join([*told, *asked])


def _follow(rows: Iterable[dict[str, Any]], days: Sequence[int], names: Names) -> Iterator[Followed]:
    groups: dict[str, Group] = {}
    records = []
    for row in rows:
        if row["heap"] is None:
            records.append(_record(row))
        else:
            group = Group.from_json(json.loads(row["heap"]), complete=bool(row["complete"]))
            groups[group.group_id] = group
    return follow(groups, records, days, names)


def _record(row: dict[str, Any]) -> GroupRecord:
    return GroupRecord(
        group_id=row["group_id"],
        key_type=row["key_type"],
        member_id=row["member_id"],
        pattern=row["regular_expression"],
        value=value_of(row["value_json"], tombstone=bool(row["tombstone"])),
        day=row["day"],
        recorded_at=row["recorded_at"],
        record_offset=row["record_offset"],
        holes=row["holes"],
        place=Place(row["delivered_on"], row["source_file"], row["source_position"], row["copies"]),
        contradicted=row["contradicted"],
    )


def _batch(told: Followed, where: Mapping[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    rows = {"generation": told.generation, "member": told.member, "group": told.group, "owner": told.owner}
    return pa.RecordBatch.from_pylist(
        [{kind: {**where, **row}} for kind, of_kind in rows.items() for row in of_kind], schema=schema
    )
