"""The number of partitions of `__consumer_offsets`: from the settings, else from the partitions that groups are found in."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from spark_jobs.lake.ledger import ClusterDay
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_kinds import LOG_KINDS, UNPLACED_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows

_MOST = 1000
# offsets.topic.num.partitions of brokers.
_DEFAULT = 50
_GROUPS_NEEDED = 10
_SHARE_NEEDED = 0.9


@dataclass(frozen=True)
class PartitionCounts:
    # By cluster and day: null where the groups do not agree on exactly one number.
    counts: Mapping[ClusterDay, int | None]
    # Whether any group was read in another partition than its own.
    any_elsewhere: bool


def partition_counts(bronze: BronzeRows, settings: Settings) -> PartitionCounts:
    slices = bronze.slices
    known = {
        cluster: number
        for cluster in slices.days
        if (number := settings.cluster(cluster).offsets_partitions) is not None
    }
    groups: list[tuple[str, dt.date, int, int]] = []
    if bronze.has(("commit",)):
        records = bronze.of_days("bronze.offset_records", (*LOG_KINDS, *UNPLACED_KINDS))
        groups = [(*row,) for row in groups_by_partition(records).collect()]
    counts = {(cluster, day): count for cluster, day, count in counts_of_days(slices.pairs(), groups, known)}
    elsewhere = (
        count is not None and group_hash % count != partition
        for cluster, day, group_hash, partition in groups
        for count in (counts.get((cluster, day)),)
    )
    return PartitionCounts(counts, any(elsewhere))


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
    """The only number of partitions by which nine tenths of ten or more groups (hash, partition) are in their partition.

    A group that was read in several partitions agrees if one of them is its own. Where there is such a group, the folder of
    a file is wrong, and a number is needed to see which: then fewer groups do, and of several numbers the one that brokers
    have by default, or the lowest.
    """
    places: dict[int, set[int]] = defaultdict(set)
    for group_hash, partition in groups:
        places[group_hash].add(partition)
    is_in_several = any(len(partitions) > 1 for partitions in places.values())
    if len(places) < _GROUPS_NEEDED and not is_in_several:
        return None
    agreeing = [
        number
        for number in range(1, _MOST + 1)
        if sum(group_hash % number in of_group for group_hash, of_group in places.items())
        >= _SHARE_NEEDED * len(places)
    ]
    if len(agreeing) == 1:
        return agreeing[0]
    if not is_in_several:
        return None
    highest = max(partition for partitions in places.values() for partition in partitions)
    possible = [number for number in agreeing if number > highest]
    return _DEFAULT if _DEFAULT in possible else min(possible, default=None)
