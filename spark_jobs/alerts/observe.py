"""Looks at the lake: which trouble of recent days is worth an alert, and what was observed at all."""

import datetime as dt
from collections.abc import Sequence

from spark_jobs.alerts.alert import Alert, Trouble
from spark_jobs.alerts.conditions import Conditions
from spark_jobs.alerts.delivery_troubles import (
    LASTING_KINDS,
    RUN_FAILED,
    broken_rules,
    dropped_volumes,
    failed_run,
    lasting_troubles,
    newest_deliveries,
)
from spark_jobs.alerts.finding_troubles import INCIDENT_KINDS, finding_troubles, incident_troubles, untrusted_days
from spark_jobs.alerts.lifecycle import ClusterDay, Observed
from spark_jobs.report.lake_reader import LakeReader


def observe(reader: LakeReader, conditions: Conditions, recent_days: int) -> Observed:
    """Days that are older than the newest one by `recent_days` or more are history: they open no alerts."""
    delivered = newest_deliveries(reader)
    hours = _observed_hours(reader, delivered)
    recent = {
        (cluster, day)
        for cluster, day in hours
        if (max(other for name, other in hours if name == cluster) - day).days < recent_days
    }
    lasting = conditions.select(lasting_troubles(reader, delivered))
    troubles = list(finding_troubles(reader, recent, conditions))
    troubles += [trouble for trouble in lasting if _is_recent(trouble, delivered, recent_days)]
    if conditions.may_want("rule_broken", "warning", "info"):
        troubles += broken_rules(reader, recent)
    if conditions.may_want("day_not_trusted", "warning"):
        troubles += untrusted_days(reader, recent)
    if conditions.may_want("volume_dropped", "warning"):
        troubles += dropped_volumes(reader, delivered)
    if any(conditions.may_want(kind, "warning", "info") for kind in INCIDENT_KINDS):
        troubles += incident_troubles(reader, recent)
    return Observed(
        conditions.select(troubles),
        frozenset(recent),
        hours,
        frozenset(trouble.key for trouble in lasting),
        LASTING_KINDS,
    )


def succeeded_runs(
    reader: LakeReader, alerts: Sequence[Alert], until: dt.date | None, is_whole: bool
) -> frozenset[str]:
    """The keys of tasks that failed and have succeeded since: a whole run did, or that of a later day, or their layer."""
    failed = [alert for alert in alerts if alert.is_open and alert.kind == RUN_FAILED]
    if not failed or not reader.has("quality.runs"):
        return frozenset()
    rows = reader.rows("select layer, max(ended_at) as ended_at from quality.runs group by layer")
    ended = {failed_run(row.layer, dt.date.min, "").key: row.ended_at for row in rows}
    return frozenset(
        alert.key
        for alert in failed
        if is_whole
        or (until is not None and alert.last_seen_at.date() <= until)
        or (alert.key in ended and ended[alert.key] > alert.last_seen_at)
    )


def _observed_hours(reader: LakeReader, delivered: dict[str, dt.date]) -> dict[ClusterDay, dict[str, int]]:
    """By cluster and day: on how many hours each source has records. Days after the newest delivery are wrong clocks."""
    if not reader.has("gold.coverage"):
        return {}
    rows = reader.rows(
        "select cluster, day, source, count(distinct hour) as hours from gold.coverage where records > 0"
        " group by cluster, day, source"
    )
    hours: dict[ClusterDay, dict[str, int]] = {}
    for row in rows:
        if row.cluster not in delivered or row.day <= delivered[row.cluster]:
            hours.setdefault((row.cluster, row.day), {})[row.source] = row.hours
    return hours


def _is_recent(trouble: Trouble, delivered: dict[str, dt.date], recent_days: int) -> bool:
    newest = delivered.get(trouble.cluster, trouble.day)
    return (newest - trouble.day).days < recent_days
