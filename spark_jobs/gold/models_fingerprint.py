"""A fingerprint of the gold models: if it changes, every day of gold is rebuilt."""

import hashlib
from pathlib import Path

from spark_jobs.gold.dbt_runner import PROJECT
from spark_jobs.lake.ledger import fingerprint


def models_fingerprint(project: Path = PROJECT) -> int:
    files = sorted(path for path in project.rglob("*") if path.suffix in (".sql", ".yml"))
    return fingerprint([(path.relative_to(project), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files])
