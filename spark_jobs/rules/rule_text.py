"""A rule as text for people."""

from collections.abc import Sequence

from rich.console import Console

from expectations.rule import Rule
from spark_jobs.printing import print_line

_INDENT = 15


def print_rule(rules: Sequence[Rule], output: Console) -> None:
    for rule in rules:
        output.print()
        print_line(output, (rule.name, "bold"), f"   {rule.action}, {rule.table}")
        for name, text in (
            ("topic", rule.topic),
            ("because", rule.because),
            ("broken when", rule.sql),
            ("judges", "parsed rows" if rule.on == "parsed" else "rows of the finished table"),
            ("rests on", rule.source),
            ("what to do", rule.remedy),
            ("fingerprint", rule.fingerprint),
        ):
            print_line(output, text, margin=((f"   {name}", "dim"),), indent=_INDENT)
