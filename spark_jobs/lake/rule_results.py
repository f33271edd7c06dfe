"""Writes quality.rule_results: what each rule found in a run."""

from collections.abc import Sequence

import schemas
from expectations.rule import RuleResult
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake

TABLE = "quality.rule_results"


def write_rule_results(lake: Lake, run: Run, results: Sequence[RuleResult]) -> None:
    rows = [
        (
            *(run.run_id, result.cluster, result.day, result.table, result.rule.name, result.rule.action),
            *(result.checked, result.broken, result.broken == 0, result.rule.fingerprint),
        )
        for result in results
    ]
    if rows:
        names = schemas.table(TABLE).column_names
        lake.append(TABLE, [dict(zip(names, row, strict=True)) for row in rows])
