"""Reads a lake for people: by the quick engine, by Spark where only Spark can read it."""

import datetime as dt
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from spark_jobs.errors import UserError
from spark_jobs.quick.column_types import OnlySparkError
from spark_jobs.quick.engine import Parameters, QuickEngine
from spark_jobs.quick.open_engine import open_engine
from spark_jobs.settings import Settings

if TYPE_CHECKING:
    from spark_jobs.lake.tables import Lake

ClusterDay = tuple[str, dt.date]


class LakeReader:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._quick: QuickEngine | None = None
        try:
            self._quick = open_engine(settings)
        except OnlySparkError:
            self._quick = None

    def has(self, table: str) -> bool:
        if self._quick is not None:
            return self._quick.tables.find(table) is not None
        return bool(self._lake.spark.catalog.tableExists(table))

    def require_gold(self, *tables: str) -> None:
        if not all(map(self.has, tables)):
            raise UserError("gold has not been built yet", "Run `lagoon gold`, or `lagoon run` for all layers")

    def rows(self, query: str, **parameters: str | int | dt.date) -> list[Any]:
        """The rows, with their columns as attributes."""
        if self._quick is not None:
            try:
                answer = self._quick.answer(query, parameters)
                return [SimpleNamespace(**dict(zip(answer.columns, row, strict=True))) for row in answer.rows]
            except OnlySparkError:
                pass
        rows = self._lake.spark.sql(query, args=dict(parameters)).collect()
        return [SimpleNamespace(**row.asDict(recursive=True)) for row in rows]

    @cached_property
    def _lake(self) -> "Lake":
        from spark_jobs.lake.catalog import open_to_read
        from spark_jobs.spark import session

        return open_to_read(session.start_spark(self._settings, small=True), self._settings.lake, self._settings.store)


def in_pairs(pairs: Iterable[ClusterDay], *, day: str = "day") -> tuple[str, Parameters]:
    """A condition on the columns `cluster` and `day` that is true for these pairs, and its parameters."""
    chosen: Sequence[ClusterDay] = sorted(pairs)
    condition = " or ".join(f"(cluster = :cluster{n}_ and {day} = :day{n}_)" for n in range(len(chosen)))
    parameters: dict[str, str | int | dt.date | dt.datetime] = {}
    for number, (cluster, of_day) in enumerate(chosen):
        parameters[f"cluster{number}_"] = cluster
        parameters[f"day{number}_"] = of_day
    return f"({condition or 'false'})", parameters
