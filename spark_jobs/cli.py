"""The command `lagoon`: its options, its errors and its exit codes. Each command imports what it needs when it runs."""

import contextlib
import os
import sys
import traceback
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from spark_jobs.alerts.alert_commands import alert, alerts
from spark_jobs.collect.collect_command import collect
from spark_jobs.command_options import (
    Config,
    Day,
    Lake,
    Landing,
    QueryCommand,
    parse_day,
    print_version,
    with_common_options,
)
from spark_jobs.errors import UsageError, UserError
from spark_jobs.job_command import run_job
from spark_jobs.process_end import begin_command, end_command
from spark_jobs.quarantine.quarantine_commands import quarantine
from spark_jobs.read_commands import dashboard, explain, report, sql, thrift_server
from spark_jobs.rules.rules_commands import rules
from spark_jobs.upkeep.upkeep_commands import erase, upkeep
from spark_jobs.visible_text import visible

if TYPE_CHECKING:
    from spark_jobs.job import DeliveryDays

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Source = Annotated[
    str | None,
    typer.Option(
        help="group_logs, offset_dumps or lag_metrics; all sources if not named.",
        autocompletion=lambda: ["group_logs", "offset_dumps", "lag_metrics"],
    ),
]


@app.callback()
def lagoon(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=print_version)
    ] = False,
) -> None:
    """A lakehouse for Kafka consumer telemetry: why groups rebalanced, which records were reprocessed, what to change."""


@app.command()
@with_common_options
def run(
    day: Day = None,
    from_day: Annotated[str | None, typer.Option("--from", help="First day of delivery.", metavar="YYYY-MM-DD")] = None,
    to_day: Annotated[str | None, typer.Option("--to", help="Last day of delivery.", metavar="YYYY-MM-DD")] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Ingest, validate, model and report what is new, or the named days again, and send alerts."""
    from spark_jobs import run as steps
    from spark_jobs.alerts.run_outcome import alert_of_failure
    from spark_jobs.job import DeliveryDays

    if day and (from_day or to_day):
        raise UsageError("--day and --from/--to were both given", "Name one day, or the first and the last day")
    if bool(from_day) != bool(to_day):
        raise UsageError("only one of --from and --to was given", "Name the first and the last day")
    first, last = parse_day(day or from_day), parse_day(day or to_day)
    if first and last and first > last:
        raise UsageError(f"--from {first} is after --to {last}", "Swap them")
    with alert_of_failure("run", lake, config):
        run_job(landing, lake, config, lambda job: steps.run_all(job, DeliveryDays.between(first, last)))


@app.command()
@with_common_options
def bronze(
    day: Day = None,
    source: Source = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Parse the files that were delivered on the day, and late files of earlier days."""
    from spark_jobs import run as steps
    from spark_jobs.settings import SOURCES

    if source is not None and source not in SOURCES:
        raise UsageError(f"there is no source {source!r}", f"Use one of {', '.join(SOURCES)}")
    days = _days(day)
    sources = [source] if source else SOURCES
    run_job(
        landing,
        lake,
        config,
        lambda job: steps.run_layer(job, days, lambda job, days: steps.run_bronze(job, days, sources)),
    )


@app.command()
@with_common_options
def silver(day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None) -> None:
    """Validate new rows of bronze and build the event days that they change."""
    from spark_jobs import run as steps

    days = _days(day)
    run_job(landing, lake, config, lambda job: steps.run_layer(job, days, steps.run_silver))


@app.command()
@with_common_options
def gold(day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None) -> None:
    """Build the dbt models for the event days that silver changed."""
    from spark_jobs import run as steps

    days = _days(day)
    run_job(landing, lake, config, lambda job: steps.run_layer(job, days, steps.run_gold))


@app.command()
@with_common_options
def build(day: Day = None, landing: Landing = None, lake: Lake = None, config: Config = None) -> None:
    """Silver and then gold in one process: less work than starting Spark twice."""
    from spark_jobs import run as steps

    days = _days(day)
    run_job(landing, lake, config, lambda job: steps.run_layer(job, days, steps.build_tables))


app.add_typer(quarantine, name="quarantine")
app.add_typer(rules, name="rules")
app.add_typer(alerts, name="alerts")
for command in (collect, report, explain, dashboard, thrift_server, alert, upkeep, erase):
    app.command()(with_common_options(command))
app.command(cls=QueryCommand)(with_common_options(sql))


@app.command()
@with_common_options
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Download what is missing and can be downloaded.")] = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Check what is missing on this machine, and print how to get it."""
    from spark_jobs.doctor import examine
    from spark_jobs.settings import load

    if not examine(load(file=config, landing=landing, lake=lake), fix=fix):
        raise typer.Exit(3)


def main() -> NoReturn:
    # dbt never releases its semaphores. Python releases them at exit, and would print a warning about it.
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
    folder = None
    try:
        folder = begin_command()
        # Without the standalone mode typer returns the code of an Exit instead of raising it.
        code = app(prog_name="lagoon", standalone_mode=False) or 0
    except UserError as error:
        _print_error(str(error))
        if os.environ.get("LAGOON_DEBUG") and error.__cause__ is not None:
            _print_stack(error.__cause__)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _print_error("stopped. Run the same command again: no table is half-written.")
        code = 130
    except Exception as error:
        code = _handle_unexpected(error)
    with contextlib.suppress(OSError):  # Nobody reads any more, or the disk of the output is full.
        sys.stdout.flush()
        sys.stderr.flush()
    end_command(code, folder)


def _handle_unexpected(error: Exception) -> int:
    """Prints the error and returns the exit code."""
    if hasattr(error, "format_message"):  # Only typer's errors of usage have it.
        _print_error(f"{error.format_message().rstrip('.')}. See `lagoon --help`.")
        return 2
    if os.environ.get("LAGOON_DEBUG"):
        _print_stack(error)
        return 3
    message = " ".join(str(error).split())
    _print_error(f"{type(error).__name__}: {message[:300]}. Run it again with --debug to see where.")
    return 3


def _days(day: str | None) -> "DeliveryDays":
    from spark_jobs.job import DeliveryDays

    return DeliveryDays.between(parse_day(day), parse_day(day))


def _print_stack(error: BaseException) -> None:
    """With the message that may quote telemetry."""
    for line in "".join(traceback.format_exception(error)).split("\n"):
        print(visible(line), file=sys.stderr)


def _print_error(sentence: str) -> None:
    print(f"lagoon: {visible(sentence)}", file=sys.stderr)


if __name__ == "__main__":
    main()
