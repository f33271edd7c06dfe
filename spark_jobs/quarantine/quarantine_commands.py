"""`lagoon quarantine`: the rows that rules rejected."""

from typing import TYPE_CHECKING, Annotated

import typer

from spark_jobs.command_options import Config, Lake, Landing, parse_day, with_common_options
from spark_jobs.errors import UsageError
from spark_jobs.job_command import read_lake, run_job

if TYPE_CHECKING:
    from spark_jobs.job import Job
    from spark_jobs.lake.tables import Lake as OpenLake
    from spark_jobs.settings import Settings

quarantine = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Rejected rows by rule and day.")

EventDay = Annotated[str | None, typer.Option(help="An event day.", metavar="YYYY-MM-DD")]
RuleName = Annotated[str | None, typer.Option(help="Only rows that this rule rejected.", metavar="RULE")]
Cluster = Annotated[str | None, typer.Option(help="Only rows of this cluster.")]
Format = Annotated[
    str, typer.Option("--format", help="table, json or csv.", autocompletion=lambda: ["table", "json", "csv"])
]


@quarantine.command("list")
@with_common_options
def list_rejected(
    day: EventDay = None,
    rule: RuleName = None,
    cluster: Cluster = None,
    output: Format = "table",
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Count the rejected rows by cluster, day, table and rule."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.quarantine.rejected import RejectedChoice, count_rejected
    from spark_jobs.report.lake_reader import LakeReader
    from spark_jobs.settings import load
    from spark_jobs.sql.output import print_rows

    _check(output, rule)
    choice = RejectedChoice(parse_day(day), rule, cluster)
    settings = load(file=config, lake=lake)
    with as_user_errors(settings):
        print_rows(*count_rejected(LakeReader(settings), choice), output)


@quarantine.command("show")
@with_common_options
def show_rejected(
    day: EventDay = None,
    rule: RuleName = None,
    cluster: Cluster = None,
    limit: Annotated[int, typer.Option(help="Show so many rows at most.", min=1)] = 100,
    output: Format = "table",
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Show rejected rows whole, the rules that they break, where they come from and what to do."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.progress import Progress
    from spark_jobs.quarantine.rejected import COLUMNS, RejectedChoice, find_rejected, print_rejected
    from spark_jobs.report.lake_reader import LakeReader
    from spark_jobs.settings import load
    from spark_jobs.sql.output import print_rows

    _check(output, rule)
    choice = RejectedChoice(parse_day(day), rule, cluster)
    settings = load(file=config, lake=lake)
    with as_user_errors(settings):
        found = find_rejected(LakeReader(settings), choice, limit)
        if output == "table":
            print_rejected(found, Progress().output)
        else:
            print_rows(COLUMNS, map(tuple, found), output)


@quarantine.command("replay")
@with_common_options
def replay_rejected(
    day: Annotated[str, typer.Option(help="The event day.", metavar="YYYY-MM-DD")],
    rule: Annotated[
        str | None, typer.Option(help="Only if rows that this rule rejected are in quarantine.", metavar="RULE")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would pass, and write nothing.")] = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Judge a day again by today's rules: rows that now pass move to their tables, the others keep their new reason."""
    from spark_jobs.progress import Progress
    from spark_jobs.quarantine.quarantine_replay import days_in_quarantine, judge_again, print_replayed, replay

    _check("table", rule)
    event_day = parse_day(day)
    assert event_day is not None

    def try_replay(opened: "OpenLake", settings: "Settings") -> None:
        output = Progress().output
        if days := days_in_quarantine(opened, event_day, rule, output):
            print_replayed(judge_again(opened, settings, days, rule), output, dry_run=True)

    def replay_days(job: "Job") -> None:
        output = job.progress.output
        if days := days_in_quarantine(job.lake, event_day, rule, output):
            print_replayed(replay(job, days, rule), output, dry_run=False)

    if dry_run:
        read_lake(lake, config, try_replay)
    else:
        run_job(landing, lake, config, replay_days)


def _check(output: str, rule: str | None) -> None:
    from expectations.rules import RULE_NAMES
    from spark_jobs.sql.output import FORMATS

    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    if rule is not None and rule not in RULE_NAMES:
        raise UsageError(f"there is no rule {rule!r}", "`lagoon rules list` shows all rules")
