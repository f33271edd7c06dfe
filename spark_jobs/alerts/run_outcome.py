"""Alerts at the end of a run: of what it found, or that it failed."""

import contextlib
import datetime as dt
from collections.abc import Iterator

import typer

from spark_jobs.alerts.alert import Trouble
from spark_jobs.alerts.alert_step import AlertRun, Occasion, run_alerts
from spark_jobs.alerts.delivery_troubles import failed_run
from spark_jobs.alerts.history import HISTORY, is_history
from spark_jobs.alerts.last_run import mark_finished
from spark_jobs.errors import UsageError, UserError
from spark_jobs.lake.location import has_lake
from spark_jobs.lake.write_lock import LakeIsLockedError
from spark_jobs.progress import Progress, counted
from spark_jobs.settings import Settings, load
from spark_jobs.visible_text import shortened


def alert_after_run(settings: Settings, progress: Progress, until: dt.date | None) -> bool:
    """What `lagoon run` does last. `until` is the last chosen day of delivery. Returns whether alerts were written."""
    occasion = Occasion(until=until, is_whole_run=until is None)
    mark_finished(settings, occasion.now)
    try:
        if until is not None and is_history(settings, until, occasion.now):
            progress.say(HISTORY)
            return True
        done = run_alerts(settings, occasion)
    except Exception as error:
        problem = str(error) if isinstance(error, UserError) else f"{type(error).__name__}."
        progress.warn(f"No alerts were sent: {problem} `lagoon alert` tries again.")
        return False
    report_alerts(done, progress)
    return True


def report_alerts(done: AlertRun, progress: Progress) -> None:
    if done.sent:
        progress.say(f"{counted(done.changed, 'alert')} changed: sent to {', '.join(done.sent)}.")
    for channel, problem in done.problems:
        progress.warn(f"The channel {channel} was not reached: {problem}. The next run sends it again.")
    if done.changed and done.without_channel:
        progress.say(
            f"{counted(done.without_channel, 'alert')} open and sent to nobody: `lagoon alerts list` prints them, "
            "and [alerts.channels] in the settings says where to send them."
        )


@contextlib.contextmanager
def alert_of_failure(task: str, lake: str | None, config: str | None) -> Iterator[None]:
    """Sends an alert when what it encloses fails. Not of a wrong call, nor while another run writes the lake."""
    try:
        yield
    except (typer.Exit, UsageError, LakeIsLockedError):
        raise
    except Exception as error:
        # Whatever hinders the alert must not hide why the run failed.
        with contextlib.suppress(Exception):
            failure = failed_run(task, dt.datetime.now(dt.UTC).date(), shortened(str(error)))
            alert_failure(load(file=config, lake=lake), failure, Progress())
        raise


def alert_failure(settings: Settings, failure: Trouble, progress: Progress) -> None:
    if not has_lake(settings.lake, settings.store):
        return  # There is no lake yet in which it could be known what was sent.
    report_alerts(run_alerts(settings, Occasion(failure=failure)), progress)
