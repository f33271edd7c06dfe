"""Logs whose clock is not that of the offsets topic: their times have no zone, and the setting `timezone` is missing or wrong.

A generation comes into force at one time, and both the log of a broker and a group record contain it. Where the two are apart
by the same whole number of half-hours again and again, the times of the log were read in the wrong zone.
"""

import functools
import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.groups.history.day_generations import IN_FORCE_EVENTS
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import SpilledRows

_HALF_HOUR = 30 * 60 * 1_000_000
# A record and the log lines about it are apart by less.
_SAME_CHANGE_WITHIN = 30 * 1_000_000
_SHARE_NEEDED = 0.8
_BRINGS_INTO_FORCE = RowFilter(
    pc.field("generation").is_valid()
    & pc.field("happened_at").is_valid()
    & pc.field("event").isin([*IN_FORCE_EVENTS, "joined", "synced"]),
    ("generation", "happened_at", "event"),
)
_GENERATION = ("cluster", "group_id", "generation")


class WrongClock(NamedTuple):
    """The logs of one origin (empty: files without one), and how far their times are ahead of the records."""

    cluster: str
    origin: str
    half_hours: int

    @property
    def difference(self) -> str:
        """`2 hours ahead of`, `30 minutes behind`"""
        minutes = abs(self.half_hours) * 30
        number, unit = (minutes // 60, "hour") if minutes % 60 == 0 else (minutes, "minute")
        return f"{number} {unit}{'s' if number > 1 else ''} {'ahead of' if self.half_hours > 0 else 'behind'}"


def wrong_clocks(events: SpilledRows, generations: DataFrame) -> list[WrongClock]:
    """`events` are understood log lines, each once, `generations` the valid ones of the offsets topic."""
    lines = events.rows(*_GENERATION, "origin", "happened_at", where=_BRINGS_INTO_FORCE).select(
        *_GENERATION, F.coalesce("origin", F.lit("")).alias("origin"), F.unix_micros("happened_at").alias("line_at")
    )
    records = generations.select(
        *_GENERATION, "incarnation", F.unix_micros(F.coalesce("state_at", "recorded_at")).alias("record_at")
    )
    apart = F.col("line_at") - F.col("record_at")
    # The same number may be that of several incarnations: each record counts once, with the line nearest to it.
    nearest = (
        lines.join(records.where("record_at is not null"), [*_GENERATION])
        .groupBy(*_GENERATION, "incarnation", "origin")
        .agg(F.min_by(apart, F.abs(apart)).alias("apart"))
        .withColumn("half_hours", F.round(F.col("apart") / _HALF_HOUR).cast("bigint"))
        .where(F.abs(F.col("apart") - F.col("half_hours") * _HALF_HOUR) < _SAME_CHANGE_WITHIN)
    )
    counted = nearest.groupBy("cluster", "origin", "half_hours").count().collect()
    return clocks_of_counts((row.cluster, row.origin, row.half_hours, row["count"]) for row in counted)


def clocks_of_counts(counts: Iterable[tuple[str, str, int, int]]) -> list[WrongClock]:
    """From (cluster, origin, half-hours apart, number of generations): the origins of which nearly all generations are apart
    by the same time."""
    by_origin: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for cluster, origin, half_hours, number in counts:
        by_origin[cluster, origin][half_hours] = number
    found = []
    for (cluster, origin), numbers in sorted(by_origin.items()):
        most = max(numbers, key=lambda half_hours: (numbers[half_hours], -abs(half_hours)))
        if most != 0 and numbers[most] >= _SHARE_NEEDED * sum(numbers.values()):
            found.append(WrongClock(cluster, origin, most))
    return found


def has_right_clock(clocks: Sequence[WrongClock]) -> RowFilter | None:
    """The lines of other origins than these; None if all lines are."""
    if not clocks:
        return None
    origin = pc.coalesce(pc.field("origin"), pc.scalar(""))
    of_clocks = [(pc.field("cluster") == clock.cluster) & (origin == clock.origin) for clock in clocks]
    return RowFilter(~functools.reduce(operator.or_, of_clocks), ("cluster", "origin"))
