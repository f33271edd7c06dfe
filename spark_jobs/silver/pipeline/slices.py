"""Which days of which clusters are made together."""

import datetime as dt
import functools
import operator
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Slices:
    """Event days by cluster. The days of a cluster follow one another: none that stands lies between them unmade."""

    days: Mapping[str, Sequence[dt.date]]

    def pairs(self) -> list[tuple[str, dt.date]]:
        return [(cluster, day) for cluster in sorted(self.days) for day in self.days[cluster]]

    def where(self, *, since: int = 0, until: int = 0) -> str:
        """SQL for rows of these days; `since` and `until` widen it by whole days on either side."""
        return self._sql(
            lambda days: f"day in ({', '.join(f'''date'{day}' ''' for day in _widened(days, since, until))})"
        )

    def wanted(self, *, since: int = 0) -> pc.Expression:
        """The same for Arrow."""
        of_cluster = [
            (pc.field("cluster") == cluster) & pc.field("day").isin(pa.array(_widened(days, since, 0), pa.date32()))
            for cluster, days in sorted(self.days.items())
        ]
        return functools.reduce(operator.or_, of_cluster)

    def after(self) -> str:
        """SQL for rows of later days."""
        return self._sql(lambda days: f"day > date'{days[-1]}'")

    def before(self, days_before: Mapping[str, dt.date]) -> str:
        """SQL for rows of the day that each cluster starts from; none where it starts from nothing."""
        known = {cluster: day for cluster, day in days_before.items() if cluster in self.days}
        return (
            " or ".join(
                f"(cluster = '{_quoted(cluster)}' and day = date'{day}')" for cluster, day in sorted(known.items())
            )
            or "false"
        )

    def _sql(self, of_days) -> str:  # type: ignore[no-untyped-def]
        return " or ".join(
            f"(cluster = '{_quoted(cluster)}' and {of_days(days)})" for cluster, days in sorted(self.days.items())
        )


def delivered(deliveries: Mapping[str, Set[dt.date]]) -> str:
    """SQL for the rows that these deliveries brought."""
    return (
        " or ".join(
            f"(cluster = '{_quoted(cluster)}' and delivered_on in ({', '.join(f'''date'{day}' ''' for day in sorted(days))}))"
            for cluster, days in sorted(deliveries.items())
            if days
        )
        or "false"
    )


def _widened(days: Sequence[dt.date], since: int, until: int) -> list[dt.date]:
    wide = {day + dt.timedelta(shift) for day in days for shift in range(-since, until + 1)}
    return sorted(wide)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
