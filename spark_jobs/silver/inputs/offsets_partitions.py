"""How many partitions `__consumer_offsets` has: told by the settings, else by where the groups are found."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame

_MOST = 1000
_GROUPS_NEEDED = 10
_SHARE_NEEDED = 0.9


def groups_found(records: DataFrame) -> DataFrame:
    """Each group once per day and place, with its hash."""
    known = records.where("kind = 'commit' and group_hash is not null and offsets_partition is not null")
    return known.select("cluster", "day", "group_hash", "offsets_partition").distinct()


def numbers(
    pairs: Iterable[tuple[str, dt.date]], groups: Iterable[tuple[str, dt.date, int, int]], told: Mapping[str, int]
) -> list[tuple[str, dt.date, int | None]]:
    """(cluster, day, partitions): null where the groups do not agree on just one number."""
    found: dict[tuple[str, dt.date], list[tuple[int, int]]] = defaultdict(list)
    for cluster, day, group_hash, partition in groups:
        found[cluster, day].append((group_hash, partition))
    return [(cluster, day, told.get(cluster) or number_agreed_on(found[cluster, day])) for cluster, day in pairs]


def number_agreed_on(groups: Iterable[tuple[int, int]]) -> int | None:
    """The one number of partitions that puts nine tenths of ten or more groups (hash, partition) where they are."""
    places = list(groups)
    if len(places) < _GROUPS_NEEDED:
        return None
    agreeing = [
        number
        for number in range(1, _MOST + 1)
        if sum(group_hash % number == partition for group_hash, partition in places) >= _SHARE_NEEDED * len(places)
    ]
    return agreeing[0] if len(agreeing) == 1 else None
