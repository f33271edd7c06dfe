"""A lake with findings, coverage and a ledger, written without Spark: what alerts are decided from."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

import schemas
from spark_jobs.lake.arrow_types import arrow_schema

CLUSTER = "eu"
SOURCES = ("group_logs", "offset_dumps")
FIRST_DAY = dt.date(2026, 3, 1)

_TEXT, _NUMBER, _DATE, _TIME = pa.string(), pa.int64(), pa.date32(), pa.timestamp("us", "UTC")
_COLUMNS = {
    "gold.findings": {
        **dict.fromkeys(("cluster", "group_id", "kind", "subject", "severity", "title", "evidence", "cost"), _TEXT),
        **dict.fromkeys(("recommendation", "expected_effect"), _TEXT),
        **dict.fromkeys(("cost_records", "cost_partition_ms", "cost_members", "days_seen"), _NUMBER),
        **{"day": _DATE, "first_seen_day": _DATE, "rank": pa.int32()},
    },
    "gold.incidents": {
        **dict.fromkeys(("cluster", "kind", "subject"), _TEXT),
        **{"day": _DATE, "started_at": _TIME, "ended_at": _TIME, "groups": _NUMBER, "rebalances": _NUMBER},
        **{"group_ids": pa.list_(_TEXT), "evidence": pa.list_(_TEXT)},
    },
    "gold.coverage": {
        **{"cluster": _TEXT, "source": _TEXT, "origin": _TEXT, "day": _DATE, "hour": pa.int32(), "records": _NUMBER},
    },
    "gold.day_trust": {"cluster": _TEXT, "day": _DATE, "trust": _TEXT, "sentence": _TEXT},
}
_DEFAULTS: dict[str, Any] = {
    **{"cluster": CLUSTER, "kind": "skipped_records", "subject": "orders-0", "severity": "critical"},
    **{"evidence": "3 times, first at 11:28", "recommendation": "Retain the topic longer", "expected_effect": ""},
    **{"cost_partition_ms": None, "cost_members": None, "days_seen": 1},
}


def day(number: int) -> dt.date:
    """The first day is 1."""
    return FIRST_DAY + dt.timedelta(number - 1)


def noon(number: int) -> dt.datetime:
    """When the run after that day looks at the lake."""
    return dt.datetime.combine(day(number + 1), dt.time(12), dt.UTC)


def finding(group: str = "billing", records: int | None = 100, **changed: Any) -> dict[str, Any]:
    cost = f"{records:,} records never read" if records is not None else "A consumer reads nothing"
    title = f"Group {group} skipped records on {changed.get('subject', 'orders-0')}"
    return {**_DEFAULTS, "group_id": group, "title": title, "cost": cost, "cost_records": records, **changed}


@dataclass
class AlertLake:
    folder: Path
    findings: dict[tuple[str, dt.date], list[dict[str, Any]]] = field(default_factory=dict)
    hours: dict[tuple[str, dt.date], int] = field(default_factory=dict)
    incidents: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[tuple[str, dt.date, str]] = field(default_factory=list)
    # Days with rows that no delivery of that day brought.
    strays: set[dt.date] = field(default_factory=set)

    def add_day(self, of: dt.date, *found: dict[str, Any], hours: int = 24, cluster: str = CLUSTER) -> "AlertLake":
        """A day of delivery with these findings, observed on so many hours; instead of what it was before."""
        self.findings[cluster, of] = [{**row, "cluster": cluster} for row in found]
        self.hours[cluster, of] = hours
        self._write()
        return self

    def add_incident(self, of: dt.date, *groups: str) -> None:
        at = dt.datetime.combine(of, dt.time(11, 31), dt.UTC)
        self.incidents.append(
            {
                **{"cluster": CLUSTER, "day": of, "kind": "broker_restarted", "subject": "broker 1"},
                **{"started_at": at, "ended_at": at + dt.timedelta(minutes=1), "group_ids": list(groups)},
                **{"groups": len(groups), "rebalances": len(groups), "evidence": ["broker_log"]},
            }
        )
        self._write()

    def judge(self, of: dt.date, outcome: str) -> None:
        """The verdict on a delivery."""
        self.verdicts.append((CLUSTER, of, outcome))
        self._write()

    def _write(self) -> None:
        rows = {
            "gold.findings": [
                {"first_seen_day": of, "rank": rank, **row, "day": of}
                for (_, of), found in self.findings.items()
                for rank, row in enumerate(found, 1)
            ],
            "gold.incidents": self.incidents,
            "gold.coverage": [
                {"cluster": cluster, "source": source, "origin": None, "day": of, "hour": hour, "records": 10}
                for (cluster, of), hours in self.hours.items()
                for source in SOURCES
                for hour in range(hours)
            ],
            "gold.day_trust": [
                {"cluster": cluster, "day": of, "trust": "yes", "sentence": ""} for cluster, of in self.hours
            ],
        }
        for name, of_table in rows.items():
            self._replace(name, pa.Table.from_pylist(of_table, pa.schema(list(_COLUMNS[name].items()))))
        runs = pa.Table.from_pylist(list(self._runs()), arrow_schema(schemas.table("quality.runs")))
        self._replace("quality.runs", runs)

    def _runs(self) -> Iterator[dict[str, Any]]:
        counts = dict.fromkeys(("rows_in", "rows_accepted", "rows_rejected", "rows_duplicate"), 0)
        taken = [
            (cluster, of, "bronze", "bronze.log_lines", "done") for cluster, of in self.hours if of not in self.strays
        ]
        judged = [(cluster, of, "silver", "delivery", outcome) for cluster, of, outcome in self.verdicts]
        for number, (cluster, of, layer, table, outcome) in enumerate([*taken, *judged]):
            at = dt.datetime.combine(of, dt.time(23), dt.UTC) + dt.timedelta(seconds=number)
            yield {
                **counts,
                **{"run_id": f"run-{number:05}", "cluster": cluster, "layer": layer, "day": of, "table_name": table},
                **{"started_at": at, "ended_at": at, "outcome": outcome},
            }

    def _replace(self, name: str, rows: pa.Table) -> None:
        write_deltalake(self.folder / name.replace(".", "/"), rows, mode="overwrite")
