"""The commands that only read a lake: its findings, one group's day, queries, the dashboards."""

from typing import Annotated

import typer

from spark_jobs.command_options import Config, Day, Lake, Landing, parse_day
from spark_jobs.errors import UsageError


def report(
    day: Day = None,
    output: Annotated[
        str, typer.Option("--format", help="text, json or html: one file that anyone can open.")
    ] = "text",
    out: Annotated[str | None, typer.Option(help="Write to this file.", metavar="FILE")] = None,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Print the findings of the event days of a delivery, or of the newest day."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress
    from spark_jobs.report.print_report import FORMATS, print_report, report_text, write_day_files, write_report
    from spark_jobs.settings import load

    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    chosen = parse_day(day)
    days = frozenset((chosen,)) if chosen else frozenset()
    settings = load(file=config, landing=landing, lake=lake)
    require_lake(settings.lake, settings.store)
    with as_user_errors(settings):
        if output != "text":
            write_report(report_text(settings, days, output), out)
        else:
            is_halted = print_report(settings, days, Progress.to_file(out))
            if days:
                # As a step of the daily run.
                write_day_files(settings, days)
            if is_halted:
                raise typer.Exit(1)


def sql(
    query: Annotated[str, typer.Argument(help="A query on bronze, silver, gold and quality.")],
    output: Annotated[
        str,
        typer.Option("--format", help="table, json or csv.", autocompletion=lambda: ["table", "json", "csv"]),
    ] = "table",
    engine: Annotated[
        str,
        typer.Option(
            help="auto: DuckDB in about a second, Spark where only Spark can be trusted; duckdb; spark.",
            autocompletion=lambda: ["auto", "duckdb", "spark"],
        ),
    ] = "auto",
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Query the lake in Spark SQL. Only the result goes to standard output."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.settings import load
    from spark_jobs.sql.query import run_query

    settings = load(file=config, landing=landing, lake=lake)
    with as_user_errors(settings):
        run_query(settings, query, output, engine)


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
) -> None:
    """Print one group's day in time order: members, rebalances, reprocessed records, and what to change."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.progress import Progress
    from spark_jobs.report.explain import print_story
    from spark_jobs.report.lake_reader import LakeReader
    from spark_jobs.settings import load

    event_day = parse_day(day)
    settings = load(file=config, landing=landing, lake=lake)
    with as_user_errors(settings):
        print_story(LakeReader(settings), group, event_day, cluster, Progress().output)


def dashboard(
    host: Annotated[
        str, typer.Option(help="Address to serve on. Others than loopback need the printed token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 is any free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Serve the dashboards of the lake on this machine and open them in a browser."""
    from spark_jobs.dashboard.serve import serve
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    settings = load(file=config, landing=landing, lake=lake)
    with as_user_errors(settings):
        serve(settings, host=host, port=port, open_browser=browser, output=Progress().output)


def thrift_server(
    host: Annotated[
        str, typer.Option(help="Address to serve on. Whoever reaches it may query: there is no password.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port.", min=1, max=65535)] = 10000,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Serve the tables of the lake to SQL tools (JDBC, ODBC, Hive), with Spark's Thrift server."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load
    from spark_jobs.sql.thrift_server import serve

    settings = load(file=config, landing=landing, lake=lake)
    require_lake(settings.lake, settings.store)
    with as_user_errors(settings):
        serve(settings, host=host, port=port, output=Progress().output)
