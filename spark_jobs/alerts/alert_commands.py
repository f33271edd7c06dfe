"""`lagoon alert`, the step of a run, and `lagoon alerts`: what is open, and what is silenced."""

import datetime as dt
from typing import Annotated

import typer

from spark_jobs.command_options import Config, Day, Lake, Landing, parse_day, with_common_options
from spark_jobs.errors import UsageError

alerts = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Open alerts, test messages and silences.")

Format = Annotated[
    str, typer.Option("--format", help="table, json or csv.", autocompletion=lambda: ["table", "json", "csv"])
]

_REPORTED = "The scheduler reports it; the log of the task has the cause"


def alert(
    day: Day = None,
    failed: Annotated[
        str | None, typer.Option(help="Only send that this task failed, as a scheduler calls it.", metavar="TASK")
    ] = None,
    late: Annotated[
        str | None, typer.Option(help="Only send that this run is not over in time.", metavar="RUN")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Send nothing: the day is part of a back-fill.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the messages, and send and write nothing.")] = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Send what is new, worse or over in the newest days: to each channel one message, and nothing a second time."""
    from spark_jobs.alerts.alert_step import Occasion, preview, run_alerts
    from spark_jobs.alerts.delivery_troubles import failed_run, late_run
    from spark_jobs.alerts.history import HISTORY, is_history
    from spark_jobs.alerts.last_run import mark_finished
    from spark_jobs.alerts.printed_alerts import print_messages
    from spark_jobs.alerts.run_outcome import alert_failure, report_alerts
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress, counted
    from spark_jobs.settings import load

    until = parse_day(day)
    settings = load(file=config, landing=landing, lake=lake)
    progress = Progress()
    with as_user_errors(settings):
        occasion = Occasion(until=until)
        if failed or late:
            about = until or occasion.now.date()
            failure = late_run(late, about) if late else failed_run(failed or "", about, _REPORTED)
            alert_failure(settings, failure, progress)
            return
        require_lake(settings.lake, settings.store)
        if history or (until is not None and is_history(settings, until, occasion.now)):
            mark_finished(settings, occasion.now)
            progress.say(HISTORY)
            return
        if dry_run:
            print_messages(preview(settings, occasion), progress.output)
            return
        done = run_alerts(settings, occasion)
        mark_finished(settings, occasion.now)
        report_alerts(done, progress)
        if not done.changed and not done.problems:
            progress.say(f"No alert has changed; {counted(done.open, 'alert')} open.")


@alerts.command("list")
@with_common_options
def list_alerts(
    ended: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    output: Format = "table",
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Print the open alerts, worst first, and to which channels they were sent."""
    from spark_jobs.alerts.alert_store import read_alerts
    from spark_jobs.alerts.printed_alerts import COLUMNS, listed
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.settings import load
    from spark_jobs.sql.output import FORMATS, print_rows

    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    settings = load(file=config, lake=lake)
    require_lake(settings.lake, settings.store)
    with as_user_errors(settings):
        print_rows(COLUMNS, listed(read_alerts(settings).alerts(), ended=ended), output)


@alerts.command("test")
@with_common_options
def send_tests(
    channel: Annotated[str | None, typer.Option(help="Only this channel.")] = None,
    config: Config = None,
) -> None:
    """Send a test message to every channel. Exits with 1 if one does not accept it."""
    from spark_jobs.alerts.delivery import Outgoing, send_all
    from spark_jobs.alerts.trial_message import trial_message
    from spark_jobs.printing import print_line
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    channels = load(file=config).alerts.channels
    names = [channel] if channel else list(channels)
    if not channels or not set(names) <= set(channels):
        problem = f"there is no channel {channel!r}" if channel else "the settings name no channel"
        raise UsageError(problem, f"Add [alerts.channels.{channel or 'NAME'}] to the settings: see docs/alerts.md")
    output, failed = Progress().output, False
    for sent in send_all([Outgoing(name, trial_message(name)) for name in names], channels):
        failed = failed or sent.problem is not None
        print_line(output, f"{sent.outgoing.channel}: {sent.problem or 'accepted'}")
    if failed:
        raise typer.Exit(1)


@alerts.command("silence")
@with_common_options
def silence_alerts(
    reason: Annotated[str, typer.Option(help="Why; whoever lists alerts reads it.")],
    key: Annotated[str, typer.Argument(help="The key of one alert, as `lagoon alerts list` prints it.")] = "",
    group: Annotated[str, typer.Option(help="Groups; * stands for any text.", metavar="PATTERN")] = "*",
    kind: Annotated[str, typer.Option(help="Kinds; * stands for any text.", metavar="PATTERN")] = "*",
    cluster: Annotated[str, typer.Option(help="Clusters; * stands for any text.", metavar="PATTERN")] = "*",
    hours: Annotated[float | None, typer.Option(help="For how long.", min=0.01)] = None,
    until: Annotated[str | None, typer.Option(help="Until when, UTC.", metavar="YYYY-MM-DDTHH:MM")] = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Keep alerts from being sent for some time. They are still recorded; what is open when it expires is sent then."""
    from spark_jobs.alerts.silence_commands import add_silence
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    settings = load(file=config, lake=lake)
    require_lake(settings.lake, settings.store)
    now = dt.datetime.now(dt.UTC)
    with as_user_errors(settings):
        chosen = (key, kind, cluster, group)
        Progress().say(add_silence(settings, chosen, now, _expiry(now, hours, until), reason))


@alerts.command("unsilence")
@with_common_options
def unsilence_alerts(
    silence: Annotated[str, typer.Argument(help="A silence, or the key of an alert.")],
    lake: Lake = None,
    config: Config = None,
) -> None:
    """End a silence before it expires. The next run sends what is open."""
    from spark_jobs.alerts.silence_commands import end_silences
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    settings = load(file=config, lake=lake)
    require_lake(settings.lake, settings.store)
    with as_user_errors(settings):
        Progress().say(end_silences(settings, silence, dt.datetime.now(dt.UTC)))


@alerts.command("check")
@with_common_options
def check_last_run(
    hours: Annotated[
        int | None, typer.Option(help="How old the last run may be; alerts.late_after_hours if not named.", min=1)
    ] = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Exit with 1 if no run has finished lately. Call it from another scheduler than the one that starts the runs."""
    from spark_jobs.alerts.last_run import last_finished
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    settings = load(file=config, lake=lake)
    require_lake(settings.lake, settings.store)
    allowed = hours or settings.integer("alerts.late_after_hours")
    with as_user_errors(settings):
        finished = last_finished(settings)
    age = None if finished is None else (dt.datetime.now(dt.UTC) - finished).total_seconds() / 3600
    when = "No run has ever finished" if finished is None else f"The last run finished at {finished:%Y-%m-%d %H:%M} UTC"
    is_late = age is None or age > allowed
    Progress().say(f"{when}{f', {age:.1f} hours ago' if age is not None else ''}; {allowed} are allowed.")
    if is_late:
        raise typer.Exit(1)


def _expiry(now: dt.datetime, hours: float | None, until: str | None) -> dt.datetime:
    if (hours is None) == (until is None):
        raise UsageError("a silence needs an end", "Name one of --hours and --until")
    if hours is not None:
        return now + dt.timedelta(hours=hours)
    try:
        expiry = dt.datetime.fromisoformat(until or "")
    except ValueError as error:
        raise UsageError(f"{until!r} is not a time", "Write it as YYYY-MM-DDTHH:MM, in UTC") from error
    expiry = expiry.replace(tzinfo=dt.UTC) if expiry.tzinfo is None else expiry
    if expiry <= now:
        raise UsageError(f"--until {until} is in the past", "Name a later time, in UTC")
    return expiry
