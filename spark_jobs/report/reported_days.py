"""Which event days a report is about, from the ledger `quality.runs`."""

import datetime as dt
from collections.abc import Mapping, Set
from typing import Any

from spark_jobs.report.lake_reader import ClusterDay, LakeReader

# The table of the ledger's entries about whole deliveries.
_DELIVERY = "delivery"


def newest_entries(reader: LakeReader, layer: str, days: Set[dt.date]) -> Mapping[tuple[str, dt.date, str], Any]:
    """The newest entry of each slice of a layer of these days, by cluster, day and table."""
    rows = reader.rows(
        "select cluster, day, table_name, tells, outcome from quality.runs where layer = :layer order by ended_at, run_id",
        layer=layer,
    )
    return {(row.cluster, row.day, row.table_name): row for row in rows if row.day in days}


def event_days(reader: LakeReader, deliveries: Set[dt.date]) -> set[ClusterDay]:
    """The event days that the deliveries of these days have rows of."""
    entries = newest_entries(reader, "bronze", deliveries)
    return {(cluster, rows["day"]) for (cluster, *_), entry in entries.items() for rows in entry.tells or ()}


def halted_deliveries(reader: LakeReader, days: Set[dt.date]) -> list[ClusterDay]:
    entries = newest_entries(reader, "silver", days)
    return sorted(
        (cluster, day)
        for (cluster, day, table), entry in entries.items()
        if table == _DELIVERY and entry.outcome == "halted"
    )


def delivered(reader: LakeReader, days: Set[dt.date]) -> set[ClusterDay]:
    return {(cluster, day) for cluster, day, _ in newest_entries(reader, "bronze", days)}
