"""The command `lagoon`: words in, exit codes out. What is heavy is imported by the command that needs it."""

import datetime as dt
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from spark_jobs.errors import UsageError, UserError

if TYPE_CHECKING:
    from spark_jobs.run import Job

app = typer.Typer(
    help="A lakehouse for Kafka consumer telemetry: who rebalanced, what came twice, can today be trusted?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Landing = Annotated[str | None, typer.Option(help="Folder or URI that telemetry is delivered to.", metavar="URI")]
Lake = Annotated[str | None, typer.Option(help="Folder or URI of the tables.", metavar="URI")]
Config = Annotated[str | None, typer.Option(help="Settings file.", metavar="FILE")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the stack trace of an error.")]
Day = Annotated[str | None, typer.Option(help="A day of delivery.", metavar="YYYY-MM-DD")]


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
    """Take in what is new, or the named days again: land, judge, model, report."""
    from spark_jobs import run as runs

    if day and (from_day or to_day):
        raise UsageError("--day and --from/--to were both given", "Name one day, or the first and the last")
    if bool(from_day) != bool(to_day):
        raise UsageError("only one of --from and --to was given", "Name the first day and the last")
    first, last = _day(day or from_day), _day(day or to_day)
    if first and last and first > last:
        raise UsageError(f"--from {first} is after --to {last}", "Swap them")
    _work(landing, lake, config, debug, lambda job: runs.run_all(job, runs.DeliveryDays.between(first, last)))


@app.command()
def bronze(
    day: Day = None,
    source: Annotated[
        str | None, typer.Option(help="group_logs, offset_dumps or lag_metrics; all if not named.")
    ] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Read what was delivered on the day, and late files of earlier days."""
    from spark_jobs import run as runs
    from spark_jobs.settings import SOURCES

    if source is not None and source not in SOURCES:
        raise UsageError(f"there is no source {source!r}", f"Use one of {', '.join(SOURCES)}")
    days = runs.DeliveryDays.between(_day(day), _day(day))
    _work(landing, lake, config, debug, lambda job: runs.run_bronze(job, days, [source] if source else SOURCES))


@app.command()
def silver(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Judge what bronze holds, and make the event days that this changes."""
    from spark_jobs import run as runs

    days = runs.DeliveryDays.between(_day(day), _day(day))
    _work(landing, lake, config, debug, lambda job: runs.run_silver(job, days))


@app.command()
def gold(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Build the models for the event days that silver changed."""
    from spark_jobs import run as runs

    days = runs.DeliveryDays.between(_day(day), _day(day))
    _work(landing, lake, config, debug, lambda job: runs.run_gold(job, days))


@app.command()
def report(
    day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None, debug: Debug = False
) -> None:
    """Say what was found on the event days of a delivery, or on the newest day."""
    from spark_jobs import run as runs

    days = runs.DeliveryDays.between(_day(day), _day(day))
    _work(landing, lake, config, debug, lambda job: runs.run_report(job, days))


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="A select over bronze, silver, gold and quality.")],
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
    engine: Annotated[str, typer.Option(help="What answers: spark.")] = "spark",
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Ask the lake in Spark SQL. Nothing but the answer goes to standard output."""
    from spark_jobs import sql_query
    from spark_jobs.settings import load

    if engine != "spark":
        raise UsageError(f"there is no engine {engine!r}", "Use spark")
    _debugging(debug)
    sql_query.answer(load(file=config, landing=landing, lake=lake), query, output)


@app.command()
def explain(
    group: Annotated[str, typer.Argument(help="A consumer group.", metavar="GROUP")],
    day: Annotated[
        str | None, typer.Option(help="An event day; the newest of the group if not named.", metavar="YYYY-MM-DD")
    ] = None,
    cluster: Annotated[str | None, typer.Option(help="Its cluster; each that has such a group if not named.")] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Tell one group's day in time order: who came and went, why it rebalanced, what came twice, what to change."""
    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.progress import Progress
    from spark_jobs.report import explain as story
    from spark_jobs.settings import load
    from spark_jobs.spark import session

    _debugging(debug)
    chosen = _day(day)
    settings = load(file=config, landing=landing, lake=lake)
    opened = open_to_read(session.start(settings, small=True), settings.lake)
    story.show(opened, group, chosen, cluster, Progress().answer)


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Get what is missing and can be got.")] = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Say what is missing on this machine, and how to get it."""
    from spark_jobs import doctor as doctors
    from spark_jobs.settings import load

    _debugging(debug)
    if not doctors.examine(load(file=config, landing=landing, lake=lake), fix=fix):
        raise typer.Exit(3)


def main() -> NoReturn:
    # dbt makes semaphores that it never gives back; the process that does so for it need not say so.
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
    try:
        # Without its standalone mode the library answers with the code of an Exit instead of raising it.
        code = app(standalone_mode=False) or 0
    except UserError as error:
        _complain(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _complain("Interrupted. Run the same command again: nothing is half-written.")
        code = 3
    except Exception as error:
        code = _unforeseen(error)
    sys.stdout.flush()
    sys.stderr.flush()
    # Spark's gateway and its threads have nothing left to do, and take seconds to notice.
    os._exit(code)


def _unforeseen(error: Exception) -> int:
    if hasattr(error, "format_message"):  # How the library of the command line names a wrong call.
        _complain(f"{error.format_message().rstrip('.')}. See `lagoon --help`.")
        return 2
    if os.environ.get("LAGOON_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return 3
    told = " ".join(str(error).split())
    if "Concurrent" in told[:2000] and "Exception" in told[:2000]:
        _complain("Another process wrote the same days at this moment. Wait until it ends, then run this again.")
    elif "No space left on device" in told:
        _complain("The disk is full. Free some room, then run this again: nothing is half-written.")
    else:
        _complain(f"{type(error).__name__}: {told[:300]}. Run it again with --debug to see where.")
    return 3


def _day(text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day", "Write it as YYYY-MM-DD") from error


def _work(landing: str | None, lake: str | None, config: str | None, debug: bool, do: "Callable[[Job], None]") -> None:
    from spark_jobs import doctor as doctors
    from spark_jobs import run as runs
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    _debugging(debug)
    settings = load(file=config, landing=landing, lake=lake)
    doctors.refuse(settings)
    with runs.open_job(settings, Progress()) as job:
        do(job)
    if job.failed:
        raise typer.Exit(1)


def _debugging(debug: bool) -> None:
    if debug:
        os.environ["LAGOON_DEBUG"] = "1"


def _complain(sentence: str) -> None:
    print(f"lagoon: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    main()
