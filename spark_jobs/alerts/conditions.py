"""Whether trouble is worth an alert, by the conditions of the settings."""

from collections.abc import Iterable
from dataclasses import dataclass

from spark_jobs.alerts.alert import Trouble
from spark_jobs.alerts.alert_settings import Condition, matches


@dataclass(frozen=True)
class Conditions:
    chosen: tuple[Condition, ...]

    def may_match(self, severity: str, kind: str, cluster: str, group_id: str) -> bool:
        """Whether a row counts, apart from what it costs together with others."""
        return any(_matches(condition, severity, kind, cluster, group_id) for condition in self.chosen)

    def may_want(self, kind: str, *severities: str) -> bool:
        """Whether any trouble of the kind could count."""
        return any(
            matches(kind, condition.kinds) and set(severities) & set(condition.severities) for condition in self.chosen
        )

    def select(self, troubles: Iterable[Trouble]) -> list[Trouble]:
        return [trouble for trouble in troubles if any(_is_met(condition, trouble) for condition in self.chosen)]


def _is_met(condition: Condition, trouble: Trouble) -> bool:
    costs_enough = (trouble.cost_records or 0) >= condition.records_at_least
    return costs_enough and _matches(condition, trouble.severity, trouble.kind, trouble.cluster, trouble.group_id)


def _matches(condition: Condition, severity: str, kind: str, cluster: str, group_id: str) -> bool:
    return (
        severity in condition.severities
        and matches(kind, condition.kinds)
        and matches(cluster, condition.clusters)
        and matches(group_id, condition.groups)
    )
