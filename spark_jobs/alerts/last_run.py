"""When a run finished last, by which a scheduler that no longer starts any is noticed."""

import datetime as dt

from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import Settings

_FILE = ".last_run"


def mark_finished(settings: Settings, now: dt.datetime) -> None:
    """Also of a run that had nothing to do."""
    lake_folder(settings).write(_FILE, now.isoformat().encode())


def last_finished(settings: Settings) -> dt.datetime | None:
    marker = lake_folder(settings).read(_FILE)
    if marker is not None:
        return dt.datetime.fromisoformat(marker.decode())
    reader = LakeReader(settings)
    if not reader.has("quality.runs"):
        return None
    [row] = reader.rows("select max(ended_at) as ended_at from quality.runs")
    return row.ended_at.replace(tzinfo=dt.UTC) if row.ended_at else None
