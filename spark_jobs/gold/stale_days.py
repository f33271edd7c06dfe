"""What each event day of gold is built from, according to the ledger."""

import datetime as dt
from collections.abc import Sequence

from spark_jobs.lake.ledger import ClusterDay, Ledger, fingerprint
from spark_jobs.silver.pipeline.plan import DAY_ENTRY


def day_inputs(bronze: Ledger, silver: Ledger) -> dict[ClusterDay, int]:
    """A fingerprint of the inputs of each event day: silver of the day and, because lag looks back, of the day before, and
    the deliveries with rows of the day."""
    parts: dict[ClusterDay, list[object]] = {}
    silver_days = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DAY_ENTRY}
    for cluster, day in sorted(silver_days):
        two_days = [silver_days.get((cluster, day - dt.timedelta(before))) for before in (0, 1)]
        parts[cluster, day] = [(entry.inputs, entry.result, entry.ended_at) for entry in two_days if entry]
    for (cluster, delivered_on, table), entry in sorted(bronze.items()):
        # A delivery without any rows counts under the day of delivery.
        for day in sorted({delivered_on, *(rows.day for rows in entry.event_rows)}):
            parts.setdefault((cluster, day), []).append((delivered_on, table, entry.result))
    return {pair: fingerprint(of_day) for pair, of_day in parts.items()}


def deliveries_of(bronze: Ledger, days: Sequence[dt.date]) -> list[dt.date]:
    """The days of delivery that have rows of these event days; the days themselves if none has."""
    chosen = set(days)
    delivered = {
        delivered_on
        for (_, delivered_on, _), entry in bronze.items()
        if delivered_on in chosen or any(rows.day in chosen for rows in entry.event_rows)
    }
    return sorted(delivered or days)


def halted_deliveries(silver: Ledger) -> list[str]:
    """Halted deliveries, each as `<cluster> <day>`."""
    return sorted(f"{cluster} {day}" for (cluster, day, _), entry in silver.items() if entry.outcome == "halted")
