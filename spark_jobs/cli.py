"""The command `lagoon`: its options, its errors and its exit codes. Each command imports what it needs when it runs."""

import datetime as dt
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from spark_jobs.errors import UsageError, UserError

if TYPE_CHECKING:
    from spark_jobs.job import DeliveryDays, Job

app = typer.Typer(
    help="A lakehouse for Kafka consumer telemetry: why groups rebalanced, which records were reprocessed, what to change.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Landing = Annotated[str | None, typer.Option(help="Folder or URI where telemetry is delivered.", metavar="URI")]
Lake = Annotated[str | None, typer.Option(help="Folder or URI of the tables.", metavar="URI")]
Config = Annotated[str | None, typer.Option(help="Settings file.", metavar="FILE")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the stack trace of an error.")]
Day = Annotated[str | None, typer.Option(help="Day of delivery.", metavar="YYYY-MM-DD")]


@app.command()
def run(
    day: Day = None,
    from_day: Annotated[str | None, typer.Option("--from", help="First day of delivery.", metavar="YYYY-MM-DD")] = None,
    to_day: Annotated[str | None, typer.Option("--to", help="Last day of delivery.", metavar="YYYY-MM-DD")] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Ingest, validate, model and report what is new, or the named days again."""
    from spark_jobs import run as steps
    from spark_jobs.job import DeliveryDays

    if day and (from_day or to_day):
        raise UsageError("--day and --from/--to were both given", "Name one day, or the first and the last day")
    if bool(from_day) != bool(to_day):
        raise UsageError("only one of --from and --to was given", "Name the first and the last day")
    first, last = _parse_day(day or from_day), _parse_day(day or to_day)
    if first and last and first > last:
        raise UsageError(f"--from {first} is after --to {last}", "Swap them")
    _run_job(landing, lake, config, debug, lambda job: steps.run_all(job, DeliveryDays.between(first, last)))


@app.command()
def bronze(
    day: Day = None,
    source: Annotated[
        str | None, typer.Option(help="group_logs, offset_dumps or lag_metrics; all sources if not named.")
    ] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Parse the files that were delivered on the day, and late files of earlier days."""
    from spark_jobs import run as steps
    from spark_jobs.settings import SOURCES

    if source is not None and source not in SOURCES:
        raise UsageError(f"there is no source {source!r}", f"Use one of {', '.join(SOURCES)}")
    days = _days(day)
    _run_job(landing, lake, config, debug, lambda job: steps.run_bronze(job, days, [source] if source else SOURCES))


@app.command()
def silver(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Validate new rows of bronze and build the event days that they change."""
    from spark_jobs import run as steps

    days = _days(day)
    _run_job(landing, lake, config, debug, lambda job: steps.run_silver(job, days))


@app.command()
def gold(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Build the dbt models for the event days that silver changed."""
    from spark_jobs import run as steps

    days = _days(day)
    _run_job(landing, lake, config, debug, lambda job: steps.run_gold(job, days))


@app.command()
def report(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Print the findings of the event days of a delivery, or of the newest day."""
    from spark_jobs import run as steps

    days = _days(day)
    _run_job(landing, lake, config, debug, lambda job: steps.run_report(job, days))


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="A query on bronze, silver, gold and quality.")],
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
    engine: Annotated[str, typer.Option(help="The engine that runs the query: spark.")] = "spark",
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Query the lake in Spark SQL. Only the result goes to standard output."""
    from spark_jobs.settings import load
    from spark_jobs.sql.query import run_query

    if engine != "spark":
        raise UsageError(f"there is no engine {engine!r}", "Use spark")
    _set_debug(debug)
    run_query(load(file=config, landing=landing, lake=lake), query, output)


@app.command()
def explain(
    group: Annotated[str, typer.Argument(help="A consumer group.", metavar="GROUP")],
    day: Annotated[
        str | None, typer.Option(help="An event day; the newest day of the group if not named.", metavar="YYYY-MM-DD")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Its cluster; each cluster with such a group if not named.")
    ] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Print one group's day in time order: members, rebalances, reprocessed records, and what to change."""
    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.progress import Progress
    from spark_jobs.report.explain import print_story
    from spark_jobs.settings import load
    from spark_jobs.spark import session

    _set_debug(debug)
    event_day = _parse_day(day)
    settings = load(file=config, landing=landing, lake=lake)
    opened = open_to_read(session.start_spark(settings, small=True), settings.lake)
    print_story(opened, group, event_day, cluster, Progress().output)


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Download what is missing and can be downloaded.")] = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Check what is missing on this machine, and print how to get it."""
    from spark_jobs.doctor import examine
    from spark_jobs.settings import load

    _set_debug(debug)
    if not examine(load(file=config, landing=landing, lake=lake), fix=fix):
        raise typer.Exit(3)


def main() -> NoReturn:
    # dbt never releases its semaphores. Python releases them at exit, and would print a warning about it.
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
    try:
        # Without the standalone mode typer returns the code of an Exit instead of raising it.
        code = app(standalone_mode=False) or 0
    except UserError as error:
        _print_error(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _print_error("Interrupted. Run the same command again: no table is half-written.")
        code = 3
    except Exception as error:
        code = _handle_unexpected(error)
    sys.stdout.flush()
    sys.stderr.flush()
    # A normal exit would wait seconds for Spark's gateway and threads, which have nothing left to do.
    os._exit(code)


def _handle_unexpected(error: Exception) -> int:
    """Prints the error and returns the exit code."""
    if hasattr(error, "format_message"):  # Only typer's errors of usage have it.
        _print_error(f"{error.format_message().rstrip('.')}. See `lagoon --help`.")
        return 2
    if os.environ.get("LAGOON_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return 3
    message = " ".join(str(error).split())
    if "Concurrent" in message[:2000] and "Exception" in message[:2000]:
        _print_error("Another process wrote the same days at the same time. Wait until it ends, then run this again.")
    elif "No space left on device" in message:
        _print_error("The disk is full. Free some space, then run this again: no table is half-written.")
    else:
        _print_error(f"{type(error).__name__}: {message[:300]}. Run it again with --debug to see where.")
    return 3


def _parse_day(text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day", "Write it as YYYY-MM-DD") from error


def _days(day: str | None) -> "DeliveryDays":
    from spark_jobs.job import DeliveryDays

    return DeliveryDays.between(_parse_day(day), _parse_day(day))


def _run_job(
    landing: str | None, lake: str | None, config: str | None, debug: bool, step: "Callable[[Job], None]"
) -> None:
    from spark_jobs.doctor import require_prerequisites
    from spark_jobs.job import open_job
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    _set_debug(debug)
    settings = load(file=config, landing=landing, lake=lake)
    require_prerequisites(settings)
    with open_job(settings, Progress()) as job:
        step(job)
    if job.failed:
        raise typer.Exit(1)


def _set_debug(debug: bool) -> None:
    if debug:
        os.environ["LAGOON_DEBUG"] = "1"


def _print_error(sentence: str) -> None:
    print(f"lagoon: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    main()
