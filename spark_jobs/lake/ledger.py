"""`quality.runs` as the ledger: what each slice was built from, and so whether it is stale."""

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import functions as F

import schemas
from spark_jobs.lake.ledger_clock import LONG_AGO, LedgerClock
from spark_jobs.lake.tables import Lake

TABLE = "quality.runs"
_RUN_TIME = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class EventRows:
    """How many rows of one kind a delivery holds for an event day; `files` is a fingerprint of the files that hold them."""

    day: dt.date
    kind: str
    rows: int
    files: int


@dataclass(frozen=True)
class Entry:
    """One row of the ledger: a table's slice of one day as one run left it."""

    cluster: str
    layer: str
    day: dt.date
    table_name: str
    started_at: dt.datetime
    ended_at: dt.datetime
    outcome: str = "done"
    rows_in: int = 0
    rows_accepted: int = 0
    rows_rejected: int = 0
    rows_duplicate: int = 0
    # A fingerprint of everything that the slice was built from.
    inputs: int | None = None
    # A fingerprint: in bronze of the delivery's files, in silver of the end-of-day states, in gold of the models.
    result: int | None = None
    event_rows: Sequence[EventRows] = field(default=())
    # Version of the code that built the slice: of the readers in bronze, of the whole layer in silver.
    build_version: int | None = None
    # A fingerprint of the settings that the slice was built with. Null if all that it depends on had their defaults.
    settings: int | None = None


# The newest entry of each slice of a layer, by cluster, day and table.
Ledger = Mapping[tuple[str, dt.date, str], Entry]
# A cluster and an event day, or a cluster and a day of delivery.
ClusterDay = tuple[str, dt.date]


@dataclass(frozen=True)
class Run:
    """One call of a command."""

    run_id: str

    @staticmethod
    def begin(clock: LedgerClock) -> "Run":
        """After the ledger was read."""
        return Run(f"{clock.begin_run():{_RUN_TIME}}-{secrets.token_hex(3)}")

    @property
    def began_at(self) -> dt.datetime:
        """To the second; long ago if the name was given by something else."""
        try:
            return dt.datetime.strptime(self.run_id.partition("-")[0], _RUN_TIME).replace(tzinfo=dt.UTC)
        except ValueError:
            return LONG_AGO


def fingerprint(parts: Iterable[object]) -> int:
    """A number of 63 bits that is the same for the same parts in the same order."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def newest(lake: Lake, layer: str) -> dict[tuple[str, dt.date, str], Entry]:
    """The newest entry of every slice of a layer, by cluster, day and table."""
    return newest_by_layer(lake, [layer])[layer]


def newest_by_layer(lake: Lake, layers: Sequence[str]) -> dict[str, dict[tuple[str, dt.date, str], Entry]]:
    """The same of several layers, in one query."""
    entries = lake.read(TABLE).where(F.col("layer").isin(*layers))
    # A lake of an earlier version, opened to be read, lacks the newest columns.
    columns = [c for c in schemas.table(TABLE).column_names if c != "run_id" and c in entries.columns]
    latest = entries.groupBy("layer", "cluster", "day", "table_name").agg(
        F.max_by(F.struct(*columns), F.struct("ended_at", "run_id")).alias("entry")
    )
    by_layer: dict[str, dict[tuple[str, dt.date, str], Entry]] = {layer: {} for layer in layers}
    for row in latest.collect():
        entry = decoded(row.entry.asDict(recursive=True))
        by_layer[entry.layer][entry.cluster, entry.day, entry.table_name] = entry
        lake.clock.not_before(entry.ended_at)
    return by_layer


def write(lake: Lake, run: Run, entries: Sequence[Entry]) -> None:
    if entries:
        lake.append(TABLE, [encoded(run, entry) for entry in entries])


def encoded(run: Run, entry: Entry) -> dict[str, Any]:
    """The columns of quality.runs. Their names are stored data and stay when an attribute is renamed."""
    return {
        "run_id": run.run_id,
        "cluster": entry.cluster,
        "layer": entry.layer,
        "day": entry.day,
        "table_name": entry.table_name,
        "started_at": entry.started_at,
        "ended_at": entry.ended_at,
        "outcome": entry.outcome,
        "rows_in": entry.rows_in,
        "rows_accepted": entry.rows_accepted,
        "rows_rejected": entry.rows_rejected,
        "rows_duplicate": entry.rows_duplicate,
        "made_from": entry.inputs,
        "leaves": entry.result,
        "tells": [
            {"day": counted.day, "kind": counted.kind, "rows": counted.rows, "files": counted.files}
            for counted in entry.event_rows
        ],
        "build_version": entry.build_version,
        "settings": entry.settings,
    }


def decoded(row: Mapping[str, Any]) -> Entry:
    return Entry(
        cluster=row["cluster"],
        layer=row["layer"],
        day=row["day"],
        table_name=row["table_name"],
        started_at=row["started_at"].replace(tzinfo=dt.UTC),
        ended_at=row["ended_at"].replace(tzinfo=dt.UTC),
        outcome=row["outcome"],
        rows_in=row["rows_in"],
        rows_accepted=row["rows_accepted"],
        rows_rejected=row["rows_rejected"],
        rows_duplicate=row["rows_duplicate"],
        inputs=row["made_from"],
        result=row["leaves"],
        event_rows=tuple(
            EventRows(counted["day"], counted["kind"], counted["rows"], counted["files"])
            for counted in row["tells"] or ()
        ),
        build_version=row.get("build_version"),
        settings=row.get("settings"),
    )
