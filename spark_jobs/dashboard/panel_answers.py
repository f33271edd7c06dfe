"""Answers panels: what the page shows, with values that JSON can hold."""

import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from threading import BoundedSemaphore, Lock
from typing import Any

from spark_jobs.dashboard.panels import Panel, choices_query
from spark_jobs.dashboard.shown_query import shown_query
from spark_jobs.errors import UserError
from spark_jobs.quick.column_types import OnlySparkError, in_spark
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import Answer, Cancellation, Parameters, QuickEngine
from spark_jobs.sql.json_values import as_json
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess

# A page that opens now shows the tables as they were at most this long ago.
_SECONDS_OF_A_VERSION = 5.0
# What a browser can hold. The download has all rows.
MOST_ROWS = 5_000
_AT_ONCE = 4
# JavaScript's numbers are exact up to here.
_LARGEST_NUMBER = 2**53


@dataclass
class PanelAnswers:
    """Reads one lake. `seconds` and `memory` limit each panel."""

    lake: str
    memory: str
    seconds: float
    # How a lake in an object store is reached.
    access: StoreAccess = DEFAULT_ACCESS
    _engine: QuickEngine | None = None
    _opened_at: float = 0.0
    _lock: Lock = field(default_factory=Lock)
    # Each query may use all cores and the whole limit of memory.
    _turns: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(_AT_ONCE))

    def engine(self) -> QuickEngine:
        """One version of each table for all panels that a page asks for."""
        with self._lock:
            if self._engine is None or time.monotonic() - self._opened_at > _SECONDS_OF_A_VERSION:
                self._engine = QuickEngine(DeltaTables(self.lake, self.access), self.memory, self.seconds)
                self._opened_at = time.monotonic()
            return self._engine

    def choices(self, cluster: str | None, day: dt.date | None) -> dict[str, Any]:
        """What can be chosen. The newest day of the cluster if none is named."""
        engine = self.engine()
        if engine.tables.find("gold.group_health") is None:
            return {"clusters": [], "days": [], "groups": [], "topics": [], "built": False}
        pairs: list[tuple[str, dt.date]] = list(engine.answer(choices_query("clusters")).rows)
        clusters = list(dict.fromkeys(name for name, _ in pairs))
        cluster = cluster or (clusters[0] if clusters else None)
        days = [known for name, known in pairs if name == cluster]
        chosen = day or (days[0] if days else None)
        found: dict[str, Any] = {"clusters": clusters, "days": [each.isoformat() for each in days], "built": True}
        for name in ("groups", "topics"):
            found[name] = []
            if cluster and chosen:
                rows = engine.answer(choices_query(name), {"cluster": cluster, "day": chosen}).rows
                found[name] = [row[0] for row in rows]
        return found

    def rows(self, panel: Panel, parameters: Parameters, cancellation: Cancellation | None = None) -> Answer:
        missing = [table for table in panel.needs if self.engine().tables.find(table) is None]
        if missing:
            raise MissingTableError(missing[0])
        try:
            return self.engine().answer(panel.sql, parameters, cancellation)
        except OnlySparkError as error:
            raise UserError(
                f"the panel {panel.name} could not be answered: {error}", "Choose fewer days, or ask `lagoon sql`"
            ) from error

    def json(
        self, panel: Panel, parameters: Parameters, most: int = MOST_ROWS, cancellation: Cancellation | None = None
    ) -> Mapping[str, Any]:
        started = time.monotonic()
        sql = shown_query(panel.sql, parameters)
        with self._turns:
            try:
                answer = self.rows(panel, parameters, cancellation)
            except MissingTableError as error:
                return {"sql": sql, "missing": error.table, "columns": [], "types": [], "rows": []}
            rows = [[_for_browser(as_json(value)) for value in row] for row in islice(answer.rows, most + 1)]
        return {
            "sql": sql,
            "columns": answer.columns,
            "types": [in_spark(of) for of in answer.types],
            "rows": rows[:most],
            "more": len(rows) > most,
            "ms": round((time.monotonic() - started) * 1000),
        }


class MissingTableError(Exception):
    """The lake does not have a table yet that a panel reads."""

    def __init__(self, table: str) -> None:
        super().__init__(table)
        self.table = table


def _for_browser(value: Any) -> Any:
    return str(value) if type(value) is int and abs(value) > _LARGEST_NUMBER else value
