"""Whether a day of delivery is processed as part of a back-fill, of which no alerts are sent."""

import datetime as dt

from spark_jobs.errors import UserError
from spark_jobs.landing import list_landing
from spark_jobs.settings import Settings

HISTORY = "This day is history, and later ones are in landing: alerts are left to the run of the newest days."
_LONG_OVER = 7


def is_history(settings: Settings, day: dt.date, now: dt.datetime) -> bool:
    """A day that is long over while landing holds later ones: a lake that is filled day by day, oldest first, would send
    alerts for each day."""
    if (now.date() - day).days <= _LONG_OVER:
        return False
    try:
        landing = list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store)
    except UserError:
        return False  # The step does not need landing.
    newest = max(file.delivered_on for file in landing.files)
    return (newest - day).days >= settings.integer("alerts.recent_days")
