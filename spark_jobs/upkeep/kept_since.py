"""From which day on each part of a lake is kept, by the settings and by what was deleted before."""

import datetime as dt

from spark_jobs.errors import UsageError
from spark_jobs.lake.kept_days import LOOK_BACK_DAYS, KeptDays
from spark_jobs.settings import Settings

# Parts of the lake that have a retention of their own, and the fewest days that may be kept: silver needs late deliveries and
# what completes a day, gold the days that it looks back at, and both a week in which a delivery may be late.
FEWEST_DAYS = {
    "bronze": 7,
    "silver": LOOK_BACK_DAYS + 7,
    "gold": LOOK_BACK_DAYS + 7,
    "quality": 7,
    # An alert that has ended is remembered while the days are recent that it was about.
    "alert": 35,
    "report": 1,
    "data_docs": 1,
    "landing": 1,
}
LAYERS_WITH_DAYS = ("bronze", "silver", "gold", "quality")


def kept_since(settings: Settings, today: dt.date, recorded: KeptDays) -> dict[str, dt.date]:
    """The first day of each part that is kept; parts that are kept for ever are left out."""
    since = dict(recorded.first)
    for part, fewest in FEWEST_DAYS.items():
        days = settings.integer(f"upkeep.{part}_days")
        if 0 < days < fewest:
            raise UsageError(
                f"upkeep.{part}_days is {days}, and later days need the {fewest} days before them",
                f"Give 0 to keep everything, or {fewest} or more",
            )
        if days:
            since[part] = max(today - dt.timedelta(days), since.get(part, dt.date.min))
    return since
