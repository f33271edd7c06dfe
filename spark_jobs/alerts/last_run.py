"""When a run finished last, by which a scheduler that no longer starts any is noticed."""

import datetime as dt

from spark_jobs.lake.location import local_path
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import Settings

_FILE = ".last_run"


def mark_finished(settings: Settings, now: dt.datetime) -> None:
    """Also of a run that had nothing to do. In an object store only the ledger remembers runs."""
    lake = local_path(settings.lake)
    if lake is not None:
        (lake / _FILE).write_text(now.isoformat())


def last_finished(settings: Settings) -> dt.datetime | None:
    lake = local_path(settings.lake)
    marker = lake / _FILE if lake is not None else None
    if marker is not None and marker.is_file():
        return dt.datetime.fromisoformat(marker.read_text())
    reader = LakeReader(settings)
    if not reader.has("quality.runs"):
        return None
    [row] = reader.rows("select max(ended_at) as ended_at from quality.runs")
    return row.ended_at.replace(tzinfo=dt.UTC) if row.ended_at else None
