"""The options of commands: those that several share, and how much every command prints."""

import datetime as dt
import functools
import importlib.metadata
import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from spark_jobs.errors import UsageError

Landing = Annotated[str | None, typer.Option(help="Folder or URI where telemetry is delivered.", metavar="URI")]
Lake = Annotated[str | None, typer.Option(help="Folder or URI of the tables.", metavar="URI")]
Config = Annotated[str | None, typer.Option(help="Settings file.", metavar="FILE")]
Day = Annotated[str | None, typer.Option(help="Day of delivery.", metavar="YYYY-MM-DD")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress, only warnings, errors and results.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print every file, table and model.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the stack trace of an error.")]


def with_common_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that every command has. They come last in its help."""

    @functools.wraps(command)
    def run_command(*, quiet: bool, verbose: bool, debug: bool, **options: Any) -> None:
        _choose_output(quiet=quiet, verbose=verbose, debug=debug)
        command(**options)

    kinds = {"quiet": Quiet, "verbose": Verbose, "debug": Debug}
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in kinds.items()
    ]
    own = inspect.signature(command)
    # Typer reads the options of a command from its signature.
    signature = own.replace(parameters=[*own.parameters.values(), *common])
    run_command.__dict__["__signature__"] = signature
    run_command.__annotations__ = {**command.__annotations__, **kinds}
    return run_command


def parse_day(text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day", "Write it as YYYY-MM-DD") from error


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"lagoon {importlib.metadata.version('lagoon')}")
        raise typer.Exit


def _choose_output(*, quiet: bool, verbose: bool, debug: bool) -> None:
    from spark_jobs.progress import VERBOSITY, Verbosity

    if quiet and verbose:
        raise UsageError("--quiet and --verbose were both given", "Choose one")
    if quiet or verbose:
        VERBOSITY.set(Verbosity.QUIET if quiet else Verbosity.VERBOSE)
    if debug:
        os.environ["LAGOON_DEBUG"] = "1"


class QueryCommand(TyperCommand):
    """A command whose argument is SQL, which may begin with a comment: `-- …` is no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f"\n{word}" if word.startswith("-- ") else word for word in args])
