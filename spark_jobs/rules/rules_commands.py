"""`lagoon rules`: what must be true of good data, and what a rule would say about days that were built."""

from typing import TYPE_CHECKING, Annotated

import typer

from spark_jobs.command_options import Config, Lake, parse_day, with_common_options
from spark_jobs.errors import UsageError
from spark_jobs.job_command import read_lake

if TYPE_CHECKING:
    from expectations.rule import Rule

rules = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The rules, and what a new one would find.")

Format = Annotated[
    str, typer.Option("--format", help="table, json or csv.", autocompletion=lambda: ["table", "json", "csv"])
]


@rules.command("list")
@with_common_options
def list_rules(output: Format = "table", config: Config = None) -> None:
    """List every rule with its action, as the settings have it, and the fingerprint that is stored with its results."""
    from expectations.rules import RULES
    from spark_jobs.settings import load
    from spark_jobs.sql.output import FORMATS, print_rows

    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    actions = load(file=config).rule_actions
    rows = [
        (rule.name, rule.table, actions.get(rule.name, rule.action), rule.topic, rule.fingerprint) for rule in RULES
    ]
    print_rows(("rule", "table", "action", "topic", "fingerprint"), rows, output)


@rules.command("show")
@with_common_options
def show_rule(rule: Annotated[str, typer.Argument(help="A rule.", metavar="RULE")]) -> None:
    """Explain a rule: its predicate, why it is true of good data, what it rests on and what to do."""
    from spark_jobs.progress import Progress
    from spark_jobs.rules.rule_text import print_rule

    print_rule(_named(rule), Progress().output)


@rules.command("try")
@with_common_options
def try_rule(
    rule: Annotated[str, typer.Argument(help="A rule, or the name of a new one.", metavar="RULE")],
    from_day: Annotated[str, typer.Option("--from", help="First event day.", metavar="YYYY-MM-DD")],
    to_day: Annotated[str, typer.Option("--to", help="Last event day.", metavar="YYYY-MM-DD")],
    broken_when: Annotated[
        str | None, typer.Option(help="SQL that is true for a row that breaks the rule, instead of its own.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="The table of a new rule, such as silver.offset_commits.")] = None,
    output: Format = "table",
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Count by day the rows that a new or changed rule would judge and find broken. Nothing is written."""
    from spark_jobs.rules.trial import TRIAL_COLUMNS, rule_on_trial, try_on_days
    from spark_jobs.sql.output import FORMATS, print_rows

    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    first, last = parse_day(from_day), parse_day(to_day)
    assert first is not None
    assert last is not None
    if first > last:
        raise UsageError(f"--from {first} is after --to {last}", "Swap them")
    found = rule_on_trial(rule, broken_when, table)

    read_lake(
        lake,
        config,
        lambda opened, settings: print_rows(TRIAL_COLUMNS, try_on_days(opened, settings, found, first, last), output),
    )


def _named(name: str) -> "list[Rule]":
    """A rule of several tables has several entries."""
    from expectations.rules import RULES

    found = [rule for rule in RULES if rule.name == name]
    if not found:
        raise UsageError(f"there is no rule {name!r}", "`lagoon rules list` shows all rules")
    return found
