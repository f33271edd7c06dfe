"""Judges counts as rows are judged: a slice that was validated is a row, and so is a delivery."""

from collections.abc import Iterable, Mapping, Sequence

from expectations import gate
from spark_jobs.lake.ledger import ClusterDay, Entry
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings

_COLUMNS = (
    "cluster string, day date, table_name string, parsed bigint, accepted bigint, rejected bigint,"
    "duplicate bigint, missing_sources int, max_rejected_share double"
)


def judge_slices(
    lake: Lake,
    settings: Settings,
    validator: gate.Validator,
    slices: Iterable[Entry],
    deliveries: Mapping[ClusterDay, tuple[int, int]],
) -> list[gate.RuleResult]:
    """Whether no slice lost rows, and no delivery (accepted, rejected) has too many rejected ones."""
    share = settings.share("gate.max_rejected_share")
    rows: list[tuple[object, ...]] = [
        (s.cluster, s.day, s.table_name, s.rows_in, s.rows_accepted, s.rows_rejected, s.rows_duplicate, None, None)
        for s in slices
    ]
    rows += [(*pair, "delivery", None, *counts, None, None, share) for pair, counts in sorted(deliveries.items())]
    return _judge(lake, settings, validator, rows)


def judge_sources(
    lake: Lake, settings: Settings, validator: gate.Validator, missing: Mapping[ClusterDay, Sequence[str]]
) -> list[gate.RuleResult]:
    """Whether every source that is expected of a delivery has arrived."""
    share = settings.share("gate.max_rejected_share")
    rows = [(*pair, "delivery", None, None, None, None, len(sources), share) for pair, sources in missing.items()]
    return _judge(lake, settings, validator, rows)


def _judge(
    lake: Lake, settings: Settings, validator: gate.Validator, rows: Sequence[tuple[object, ...]]
) -> list[gate.RuleResult]:
    if not rows:
        return []
    frame = lake.spark.createDataFrame(rows, _COLUMNS).coalesce(1)
    rules = gate.rules_for("delivery", settings.rule_actions, on="parsed")
    judged = gate.with_verdicts(frame, rules)
    counted = judged.groupBy("cluster", "day").agg(*gate.rule_counts(rules)).collect()
    verdicts = validator.verdicts("deliveries", judged, rules)
    return gate.rule_results("delivery", rules, sorted({(row.cluster, row.day) for row in counted}), counted, verdicts)
