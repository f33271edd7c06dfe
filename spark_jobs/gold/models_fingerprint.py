"""A fingerprint of the gold models: if it changes, every day of gold is rebuilt.

It covers what may change rows: the SQL of models and macros, and of each YAML file everything but descriptions and tests.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml

from expectations.thresholds import THRESHOLDS
from spark_jobs.gold.dbt_runner import PROJECT
from spark_jobs.lake.ledger import fingerprint

# libyaml parses the models in 30 ms, PyYAML itself in 200 ms.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NO_EFFECT_ON_ROWS = frozenset(("description", "docs", "tests", "data_tests", "unit_tests"))


def models_fingerprint(project: Path = PROJECT) -> int:
    files = sorted(path for path in project.rglob("*") if path.suffix in (".sql", ".yml"))
    contents = [(path.relative_to(project), _content_hash(path)) for path in files]
    # Models compare with the thresholds of rules (macro `threshold`).
    return fingerprint([*contents, *sorted(THRESHOLDS.items())])


def _content_hash(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".yml":
        content = json.dumps(_effective(yaml.load(content, _LOADER)), sort_keys=True, default=str).encode()
    return hashlib.sha256(content).hexdigest()


def _effective(node: Any) -> Any:
    """The document without the keys that change no row. A key that is not known counts."""
    if isinstance(node, dict):
        return {key: _effective(value) for key, value in node.items() if key not in _NO_EFFECT_ON_ROWS}
    return [_effective(item) for item in node] if isinstance(node, list) else node
