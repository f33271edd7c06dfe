"""`quality.runs` as the ledger: what each slice was made from, and so what is stale."""

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from pyspark.sql import functions as F

import schemas
from spark_jobs.lake.tables import Lake

TABLE = "quality.runs"


@dataclass(frozen=True)
class Told:
    """How many rows of a kind a delivery has for an event day, and a fingerprint of the files they are in."""

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
    made_from: int | None = None
    leaves: int | None = None
    tells: Sequence[Told] = field(default=())


@dataclass(frozen=True)
class Run:
    """One call of a command."""

    run_id: str

    @staticmethod
    def begin() -> "Run":
        return Run(f"{now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}")


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def fingerprint(parts: Iterable[object]) -> int:
    """A number of 63 bits that is the same for the same things in the same order."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def newest(lake: Lake, layer: str) -> dict[tuple[str, dt.date, str], Entry]:
    """The newest entry of every slice of a layer, by cluster, day and table."""
    entries = lake.read(TABLE).where(F.col("layer") == layer)
    columns = [column for column in schemas.table(TABLE).column_names if column != "run_id"]
    latest = entries.groupBy("cluster", "day", "table_name").agg(
        F.max_by(F.struct(*columns), F.struct("ended_at", "run_id")).alias("entry")
    )
    found = {}
    for row in latest.collect():
        told = row.entry.asDict(recursive=True)
        told["tells"] = tuple(Told(**tell) for tell in told["tells"] or ())
        for name in ("started_at", "ended_at"):
            told[name] = told[name].replace(tzinfo=dt.UTC)
        entry = Entry(**told)
        found[entry.cluster, entry.day, entry.table_name] = entry
    return found


def write(lake: Lake, run: Run, entries: Sequence[Entry]) -> None:
    if not entries:
        return
    lake.append(TABLE, [{"run_id": run.run_id, **asdict(entry)} for entry in entries])
