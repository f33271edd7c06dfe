"""Alerts and messages as a terminal shows them."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from spark_jobs.alerts.alert import Alert
from spark_jobs.alerts.alert_settings import SEVERITIES
from spark_jobs.alerts.delivery import Outgoing
from spark_jobs.alerts.render import render
from spark_jobs.printing import print_line

COLUMNS = (
    *("key", "severity", "kind", "cluster", "group_id", "title", "since", "last_day"),
    *("outcome", "sent_to", "silenced_until", "silence_reason", "resolved_at"),
)


def listed(alerts: Sequence[Alert], *, ended: bool) -> Iterator[tuple[Any, ...]]:
    """The rows of `lagoon alerts list`: open ones first, worst first."""
    chosen = [alert for alert in alerts if ended or alert.is_open]
    for alert in sorted(chosen, key=lambda a: (not a.is_open, SEVERITIES.index(a.severity), -a.cost_rank, a.key)):
        sent_to = [state.channel for state in alert.deliveries if state.change >= alert.change_count]
        yield (
            *(alert.key, alert.severity, alert.kind, alert.cluster, alert.group_id, alert.title),
            *(alert.first_day, alert.last_day, alert.outcome, sent_to),
            *(alert.silenced_until, alert.silence_reason, alert.resolved_at),
        )


def print_messages(messages: Sequence[Outgoing], output: Console) -> None:
    for outgoing in messages:
        rendered = render(outgoing.message, "text", 0, 0)
        print_line(output, (f"To {outgoing.channel}: {rendered.title}", "bold"))
        for line in rendered.body.split("\n"):
            print_line(output, line)
    if not messages:
        print_line(output, "Nothing would be sent.")
