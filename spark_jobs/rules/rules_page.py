"""The rules as a Markdown page, by what they are about: docs/rules.md."""

from collections.abc import Iterator

from expectations.rule import Rule
from expectations.rules import RULES

_ACTIONS = {
    "reject": "the row is invalid and goes to quarantine",
    "warn": "the row is valid, stays, and is counted",
    "halt": "nothing of the delivery is published for its cluster",
}
_HEAD = """\
# Rules

Each rule is one sentence that is true of good data, and one SQL predicate over one row: true where the row breaks the rule, null
where it can't be judged. This page is made from `expectations/` by `make rules-docs`.

`lagoon rules list` and `lagoon rules show RULE` print the same, `lagoon rules try RULE --from DAY --to DAY` counts what a rule would
have found, `lagoon quarantine list|show|replay` is about the rows that were rejected. The fingerprint is stored with each result
in `quality.rule_results`: it changes with the table and the predicate. `gate.actions` in `lagoon.toml` changes an action.
"""


def rules_page() -> str:
    topics = dict.fromkeys(rule.topic for rule in RULES)
    return "\n".join([_HEAD, *(line for topic in topics for line in _topic(topic))])


def _topic(topic: str) -> Iterator[str]:
    yield f"## {topic}\n"
    for rule in RULES:
        if rule.topic == topic:
            yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    judged = "parsed rows" if rule.on == "parsed" else "rows of the finished table"
    yield f"### `{rule.name}` on {rule.table}\n"
    yield f"{rule.because[0].upper()}{rule.because[1:]}. It rests on: {rule.source}.\n"
    yield f"- **Action**: {rule.action}: {_ACTIONS[rule.action]}. It judges {judged}."
    yield f"- **What to do**: {rule.remedy}."
    yield f"- **Broken when** (`{rule.fingerprint}`):\n"
    yield f"```sql\n{rule.sql}\n```\n"
