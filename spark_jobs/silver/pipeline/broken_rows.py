"""Finds where broken rows come from: of each rule and day the first and the last, for the Data Docs."""

import datetime as dt
import functools
from collections.abc import Iterable, Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from expectations.data_docs import Samples
from expectations.rule import Rule, RuleResult
from spark_jobs.lake.tables import Lake
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.pipeline.rejected_rows import REJECTED_ROWS
from spark_jobs.visible_text import visible


def sample_broken_rows(lake: Lake, results: Iterable[RuleResult]) -> Samples:
    """Rejected rows are in quarantine; rows that a rule warns of stand in their tables, if these have the rule's columns."""
    broken = [result for result in results if result.broken and result.table in silver_tables()]
    days: dict[str, set[dt.date]] = {}
    for result in broken:
        days.setdefault(result.cluster, set()).add(result.day)
    where = Slices({cluster: sorted(of_cluster) for cluster, of_cluster in days.items()}).where()
    frames = []
    if any(result.rule.action == "reject" for result in broken):
        rejected = lake.read(REJECTED_ROWS).where(where).where("replayed_at is null")
        frames.append(_places(rejected.withColumn("rule", F.explode("rules")), F.col("table_name")))
    for table in sorted({result.table for result in broken}):
        rules = {r.rule.name: r.rule for r in broken if r.table == table and r.rule.action == "warn"}
        rows = lake.read(table).where(where)
        judged = [rule for rule in rules.values() if _can_judge(rows, rule)]
        if judged:
            verdicts = F.array(*(F.when(F.expr(rule.broken_when), F.lit(rule.name)) for rule in judged))
            broken_rows = rows.withColumn("rule", F.explode(F.array_compact(verdicts)))
            frames.append(_places(broken_rows, F.lit(table)))
    if not frames:
        return {}
    found = functools.reduce(DataFrame.unionByName, frames).collect()
    return {(row.cluster, row.day, row.table_name, row.rule): _texts([row.first, row.last]) for row in found}


def _places(rows: DataFrame, table: Column) -> DataFrame:
    place = F.struct("source_file", "source_position")
    return rows.groupBy("cluster", "day", table.alias("table_name"), "rule").agg(
        F.min(place).alias("first"), F.max(place).alias("last")
    )


def _can_judge(rows: DataFrame, rule: Rule) -> bool:
    """Some rules need columns that only parsed rows have, or that are added to the finished table."""
    try:
        rows.select(F.expr(rule.broken_when))
    except AnalysisException:
        return False
    return True


def _texts(places: Sequence[tuple[str, int | None]]) -> list[str]:
    texts = [
        visible(file) if position is None else f"{visible(file)}, position {position}" for file, position in places
    ]
    return list(dict.fromkeys(texts))
