"""Trouble that gold knows: findings of a group, one trouble for each kind; incidents; days that can't be trusted."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from spark_jobs.alerts.alert import Trouble
from spark_jobs.alerts.alert_settings import SEVERITIES
from spark_jobs.alerts.conditions import Conditions
from spark_jobs.report.lake_reader import ClusterDay, LakeReader, in_pairs
from spark_jobs.visible_text import shortened

# Titles that an alert keeps beside its own.
_FIRST_ROWS = 5
_INCIDENTS = (
    *("broker_restarted", "coordinator_moved", "partition_loaded"),
    *("offsets_deleted", "group_deleted", "exporter_silent"),
)
INCIDENT_KINDS = tuple(f"incident_{kind}" for kind in _INCIDENTS)
_QUERY = """
select cluster, day, group_id, kind, subject, severity, title, evidence, cost, cost_records, cost_partition_ms,
    cost_members, recommendation, expected_effect, first_seen_day, rank
from gold.findings
"""


def finding_troubles(reader: LakeReader, days: Set[ClusterDay], conditions: Conditions) -> Iterator[Trouble]:
    if not (days and reader.has("gold.findings")):
        return
    condition, parameters = in_pairs(days)
    rows = reader.rows(f"{_QUERY} where {condition} order by cluster, day, rank", **parameters)
    explained = _incident_by_group(_incidents(reader, days))
    groups: dict[tuple[str, dt.date, str, str, str], list[Any]] = {}
    for row in rows:
        if conditions.may_match(row.severity, row.kind, row.cluster, row.group_id):
            about = "" if row.group_id else row.subject
            groups.setdefault((row.cluster, row.day, row.group_id, row.kind, about), []).append(row)
    for (cluster, day, group_id, _, about), of_group in groups.items():
        yield _trouble(of_group, about, explained.get((cluster, day, group_id)))


def incident_troubles(reader: LakeReader, days: Set[ClusterDay]) -> Iterator[Trouble]:
    for row in _incidents(reader, days):
        yield Trouble(
            kind=f"incident_{row.kind}",
            severity="warning" if row.groups else "info",
            cluster=row.cluster,
            group_id="",
            day=row.day,
            title=_incident_sentence(row),
            evidence=f"Seen in {', '.join(row.evidence)}" if row.evidence else "",
            cost=f"{row.groups:,} groups were disturbed, {row.rebalances:,} rebalances",
            cost_rank=row.groups,
            recommendation="Look at the broker, or at what an administrator did, before the groups",
            first_rows=tuple(f"Group {group}" for group in row.group_ids[:_FIRST_ROWS]),
            subjects=row.groups or 1,
            about=f"{row.subject} {row.started_at}",
        )


def untrusted_days(reader: LakeReader, days: Set[ClusterDay]) -> Iterator[Trouble]:
    if not (days and reader.has("gold.day_trust")):
        return
    condition, parameters = in_pairs(days)
    for row in reader.rows(f"select * from gold.day_trust where trust = 'no' and {condition}", **parameters):
        yield Trouble(
            kind="day_not_trusted",
            severity="warning",
            cluster=row.cluster,
            group_id="",
            day=row.day,
            title=f"The numbers of {row.day} of {row.cluster} can't be trusted",
            evidence=row.sentence,
            recommendation="Find out what was delivered and not read: the page Trust of the dashboard shows it by hour",
        )


def _trouble(rows: Sequence[Any], about: str, incident: str | None) -> Trouble:
    first = rows[0]
    records = [row.cost_records for row in rows if row.cost_records is not None]
    total = f"{first.cost}. In all {sum(records):,} records in {len(rows):,} rows" if len(rows) > 1 and records else ""
    return Trouble(
        kind=first.kind,
        severity=min((row.severity for row in rows), key=SEVERITIES.index),
        cluster=first.cluster,
        group_id=first.group_id,
        day=first.day,
        title=shortened(first.title),
        evidence=shortened(first.evidence),
        cost=shortened(total or first.cost),
        cost_records=sum(records) if records else None,
        cost_rank=sum(map(_cost_rank, rows)),
        recommendation=shortened(first.recommendation),
        expected_effect=shortened(first.expected_effect),
        first_rows=tuple(shortened(row.title) for row in rows[1 : _FIRST_ROWS + 1]),
        subjects=len(rows),
        incident=incident,
        first_day=min(row.first_seen_day for row in rows),
        about=about,
    )


def _cost_rank(row: Any) -> int:
    """As gold.findings ranks: one partition paused for a minute, or one idle consumer, counts like 1,000 records."""
    return (row.cost_records or 0) + (row.cost_partition_ms or 0) // 60 + 1000 * (row.cost_members or 0)


def _incidents(reader: LakeReader, days: Set[ClusterDay]) -> list[Any]:
    if not (days and reader.has("gold.incidents")):
        return []
    condition, parameters = in_pairs(days)
    return reader.rows(f"select * from gold.incidents where {condition} order by started_at", **parameters)


def _incident_by_group(incidents: Iterable[Any]) -> dict[tuple[str, dt.date, str], str]:
    """The incident that disturbed most groups, for each group and day."""
    by_group: dict[tuple[str, dt.date, str], str] = {}
    for row in sorted(incidents, key=lambda row: int(row.groups)):
        sentence = _incident_sentence(row)
        by_group |= {(row.cluster, row.day, group): sentence for group in row.group_ids}
    return by_group


def _incident_sentence(row: Any) -> str:
    ended = f" to {row.ended_at:%H:%M}" if row.ended_at else ""
    return shortened(f"{row.kind.replace('_', ' ')}: {row.subject}, {row.started_at:%Y-%m-%d %H:%M}{ended} UTC")
