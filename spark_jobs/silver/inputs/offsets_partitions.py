"""The number of partitions of `__consumer_offsets`: from the settings, else from the partitions that groups are found in."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame

from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_kinds import LOG_KINDS, UNPLACED_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows

_MOST = 1000
_GROUPS_NEEDED = 10
_SHARE_NEEDED = 0.9


def partition_counts(bronze: BronzeRows, settings: Settings) -> list[tuple[str, dt.date, int | None]]:
    """(cluster, day, partitions): null where the groups do not agree on exactly one number."""
    slices = bronze.slices
    known = {
        cluster: number
        for cluster in slices.days
        if (number := settings.cluster(cluster).offsets_partitions) is not None
    }
    groups: Iterable[tuple[str, dt.date, int, int]] = []
    if bronze.has(("commit",)) and set(known) != set(slices.days):
        groups = groups_by_partition(bronze.of_days("bronze.offset_records", (*LOG_KINDS, *UNPLACED_KINDS))).collect()
    return counts_of_days(slices.pairs(), groups, known)


def groups_by_partition(records: DataFrame) -> DataFrame:
    """Each group once per day and partition, with its hash."""
    commits = records.where("kind = 'commit' and group_hash is not null and offsets_partition is not null")
    return commits.select("cluster", "day", "group_hash", "offsets_partition").distinct()


def counts_of_days(
    pairs: Iterable[tuple[str, dt.date]], groups: Iterable[tuple[str, dt.date, int, int]], known: Mapping[str, int]
) -> list[tuple[str, dt.date, int | None]]:
    by_day: dict[tuple[str, dt.date], list[tuple[int, int]]] = defaultdict(list)
    for cluster, day, group_hash, partition in groups:
        by_day[cluster, day].append((group_hash, partition))
    return [(cluster, day, known.get(cluster) or agreed_count(by_day[cluster, day])) for cluster, day in pairs]


def agreed_count(groups: Iterable[tuple[int, int]]) -> int | None:
    """The only number of partitions by which nine tenths of ten or more groups (hash, partition) are in their partition."""
    places = list(groups)
    if len(places) < _GROUPS_NEEDED:
        return None
    agreeing = [
        number
        for number in range(1, _MOST + 1)
        if sum(group_hash % number == partition for group_hash, partition in places) >= _SHARE_NEEDED * len(places)
    ]
    return agreeing[0] if len(agreeing) == 1 else None
