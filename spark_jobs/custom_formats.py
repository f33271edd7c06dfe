"""Settings that add formats of a site to the built-in ones: log layouts, metric names and label names."""

from pathlib import Path
from typing import Any

from kafka_telemetry.formats.lag import metric_names
from kafka_telemetry.formats.lag.metric_names import MetricMeaning
from spark_jobs import settings_file
from spark_jobs.errors import UsageError

_METRIC = ("quantity", "lag_meaning", "reporter")


def log_patterns(path: Path, table: dict[str, Any]) -> dict[str, str]:
    if table:  # Importing Arrow would be half the time of a quick query.
        from kafka_telemetry.formats.logs import custom_layout
    for name, pattern in table.items():
        if problem := custom_layout.pattern_problem(pattern) if isinstance(pattern, str) else "it is not a text":
            raise UsageError(
                f"logs.patterns.{name} in {path} is not a pattern of a log line: {problem}",
                "See lagoon.example.toml for an example",
            )
    return table


def metrics(path: Path, names: dict[str, Any]) -> dict[str, MetricMeaning]:
    """Meanings by full metric name."""
    meanings = {}
    for name, value in names.items():
        where = f"metrics.names.{name}"
        entry = settings_file.table(path, where, value)
        for key in entry:
            if key not in _METRIC:
                raise settings_file.unknown_key(path, f"{where}.{key}", tuple(f"{where}.{known}" for known in _METRIC))
        quantity, lag_meaning, reporter = (entry.get(key) for key in _METRIC)
        if quantity not in metric_names.QUANTITIES:
            raise UsageError(
                f"{where}.quantity in {path} is {quantity!r}", f"Use one of {', '.join(metric_names.QUANTITIES)}"
            )
        if lag_meaning not in (None, *metric_names.LAG_MEANINGS):
            raise UsageError(
                f"{where}.lag_meaning in {path} is {lag_meaning!r}",
                f"Use one of {', '.join(metric_names.LAG_MEANINGS)}",
            )
        if not isinstance(reporter or "", str):
            raise UsageError(f"{where}.reporter in {path} is {reporter!r}", "Give the name of the tool that reports it")
        kind = "log_offset" if quantity.startswith("log_") else "group_offset"
        meanings[name] = MetricMeaning(reporter or "site", kind, quantity, lag_meaning)
    return meanings


def labels(path: Path, roles: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    for role, names in roles.items():
        if role not in metric_names.LABELS:
            known = tuple(f"metrics.labels.{known}" for known in metric_names.LABELS)
            raise settings_file.unknown_key(path, f"metrics.labels.{role}", known)
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise UsageError(
                f"metrics.labels.{role} in {path} is {names!r}", "Give a list of labels, the most specific first"
            )
    return {role: tuple(names) for role, names in roles.items()}
