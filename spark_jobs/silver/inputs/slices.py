"""The event days of each cluster that are built together, and the conditions that select their rows."""

import datetime as dt
import functools
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.lake.sql_literals import date_list, date_literal, text_literal


@dataclass(frozen=True)
class Slices:
    """Event days by cluster. The days of a cluster are consecutive among the days that have rows."""

    days: Mapping[str, Sequence[dt.date]]

    def pairs(self) -> list[tuple[str, dt.date]]:
        return [(cluster, day) for cluster in sorted(self.days) for day in self.days[cluster]]

    def where(self, *, since: int = 0, until: int = 0) -> str:
        """SQL that selects rows of these days, widened by whole days on either side."""
        return self._any_cluster(lambda days: _one_of("day", _widened(days, since, until)))

    def condition(self, *, since: int = 0) -> pc.Expression:
        """The same as an Arrow expression."""
        by_cluster = [
            (pc.field("cluster") == cluster) & pc.field("day").isin(pa.array(_widened(days, since, 0), pa.date32()))
            for cluster, days in sorted(self.days.items())
        ]
        return functools.reduce(operator.or_, by_cluster)

    def where_later(self) -> str:
        """SQL that selects rows of later days."""
        return self._any_cluster(lambda days: f"day > {date_literal(days[-1])}")

    def where_state(self, start_days: Mapping[str, dt.date]) -> str:
        """SQL that selects the end-of-day states that the days start from; clusters without one are left out."""
        known = {cluster: [day] for cluster, day in start_days.items() if cluster in self.days}
        return _where_days_of_clusters("day", known)

    def _any_cluster(self, of_days: Callable[[Sequence[dt.date]], str]) -> str:
        return " or ".join(
            f"(cluster = {text_literal(cluster)} and {of_days(days)})" for cluster, days in sorted(self.days.items())
        )


def where_delivered(deliveries: Mapping[str, Set[dt.date]]) -> str:
    """SQL that selects the rows of these deliveries: days of delivery by cluster."""
    return _where_days_of_clusters("delivered_on", {cluster: sorted(days) for cluster, days in deliveries.items()})


def _where_days_of_clusters(column: str, days: Mapping[str, Sequence[dt.date]]) -> str:
    return (
        " or ".join(
            f"(cluster = {text_literal(cluster)} and {_one_of(column, days_of_cluster)})"
            for cluster, days_of_cluster in sorted(days.items())
            if days_of_cluster
        )
        or "false"
    )


def _one_of(column: str, days: Sequence[dt.date]) -> str:
    return f"{column} in ({date_list(days)})"


def _widened(days: Sequence[dt.date], since: int, until: int) -> list[dt.date]:
    return sorted({day + dt.timedelta(shift) for day in days for shift in range(-since, until + 1)})
