"""The intervals in which consumers commit automatically, as their logged configurations say."""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import functions as F

from kafka_telemetry.offsets.auto_commits import AutoCommits, LoggedInterval
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows
from spark_jobs.silver.inputs.spilled_rows import SpilledRows, tables_of

_CLIENT = ("cluster", "day", "group_id", "client_id")
_INTERVAL = "try_cast(settings['auto.commit.interval.ms'] as bigint)"


def collect_auto_commits(configs: SpilledRows) -> AutoCommits:
    """Of the clients that commit automatically. Several processes may have one client id: all of them must agree."""
    rows = (
        configs.rows(*_CLIENT, "happened_at", "settings")
        .groupBy(*_CLIENT)
        .agg(
            F.unix_micros(F.min("happened_at")).alias("since"),
            F.bool_and(F.expr("coalesce(lower(settings['enable.auto.commit']) = 'true', false)")).alias("is_auto"),
            F.min(F.expr(_INTERVAL)).alias("shortest"),
            F.max(F.expr(_INTERVAL)).alias("longest"),
        )
        .where(
            "is_auto and shortest = longest and since is not null and group_id is not null and client_id is not null"
        )
        .collect()
    )
    return AutoCommits(
        {
            (row.cluster, str(row.day), row.group_id, row.client_id): LoggedInterval(row.since, row.shortest)
            for row in rows
        }
    )


def with_auto_commits(commits: TaskRows, auto_commits: AutoCommits) -> TaskRows:
    """`commits` know their owners."""
    return TaskRows(commits.source, functools.partial(_add_intervals, commits.transform, auto_commits))


def _add_intervals(
    transform: ArrowTransform, auto_commits: AutoCommits, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.Table]:
    for commits in tables_of(transform(batches)):
        yield auto_commits.with_interval(commits)
