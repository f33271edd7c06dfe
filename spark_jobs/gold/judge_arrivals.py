"""Judges gold.arrivals by its rules: whether what came on a day is what usually comes."""

import datetime as dt
from collections.abc import Sequence

from expectations import gate
from expectations.rule import RuleResult
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.rule_results import write_rule_results
from spark_jobs.lake.sql_literals import date_list
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings

TABLE = "gold.arrivals"
# The model looks back as many days, so these see a day that was rebuilt.
_LOOK_BACK_DAYS = 28


def judge_arrivals(
    lake: Lake, settings: Settings, validator: gate.Validator, run: Run, days: Sequence[dt.date]
) -> list[RuleResult]:
    """Judges the days, and the ones after them that look back at them."""
    if not days:
        return []
    seen = sorted({day + dt.timedelta(after) for day in days for after in range(_LOOK_BACK_DAYS + 1)})
    rules = gate.rules_for(TABLE, settings.rule_actions, on="parsed")
    rows = lake.read(TABLE).where(f"day in ({date_list(seen)})")
    judged = gate.with_verdicts(rows, rules)
    counted = judged.groupBy("cluster", "day").agg(*gate.rule_counts(rules)).collect()
    verdicts = validator.verdicts(TABLE, judged, rules)
    slices = sorted((row.cluster, row.day) for row in counted)
    results = gate.rule_results(TABLE, rules, slices, counted, verdicts)
    write_rule_results(lake, run, results)
    return results
