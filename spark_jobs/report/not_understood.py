"""Warnings about delivered records that no reader understands."""

import datetime as dt
from collections.abc import Iterator, Set

from spark_jobs.lake.sql_literals import text_literal
from spark_jobs.report.lake_reader import LakeReader, in_pairs
from spark_jobs.visible_text import shell_quoted


def not_understood_warnings(reader: LakeReader, deliveries: Set[tuple[str, dt.date]]) -> Iterator[str]:
    """One sentence per delivery and source, with the next thing to do. `deliveries` are clusters and days of delivery."""
    if not deliveries:
        return
    condition, parameters = in_pairs(deliveries, day="delivered_on")
    rows = reader.rows(
        f"""
        select cluster, delivered_on, source, sum(records) as records_read, sum(not_understood) as unread
        from bronze.files where {condition} group by cluster, delivered_on, source
        having unread > 0 order by delivered_on, cluster, source
        """,
        **parameters,
    )
    for row in rows:
        query = (
            f"select day, hour, unknown_shapes from gold.coverage where cluster = {text_literal(row.cluster)} "
            f"and source = {text_literal(row.source)} and not_understood > 0"
        )
        yield (
            f"{row.unread:,} of {row.records_read:,} records of {row.source} that {row.cluster} delivered on "
            f"{row.delivered_on} are not understood and are left out of all numbers: "
            f"`lagoon sql {shell_quoted(query)}` shows what they look like."
        )
