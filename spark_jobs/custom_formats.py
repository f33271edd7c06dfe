"""The words of a site that stand beside the known ones: layouts of its logs, names of its metrics and labels."""

from pathlib import Path
from typing import Any

from kafka_telemetry.formats.lag import metric_names
from kafka_telemetry.formats.lag.metric_names import MetricMeaning
from kafka_telemetry.formats.logs import custom_layout
from spark_jobs import settings_file
from spark_jobs.errors import UsageError

_METRIC = ("quantity", "lag_meaning", "reporter")


def log_patterns(path: Path, table: dict[str, Any]) -> dict[str, str]:
    for name, pattern in table.items():
        if problem := custom_layout.pattern_problem(pattern) if isinstance(pattern, str) else "it is no text":
            raise UsageError(
                f"logs.patterns.{name} in {path} is no pattern of a log line: {problem}",
                "See lagoon.example.toml for one that works",
            )
    return table


def metrics(path: Path, names: dict[str, Any]) -> dict[str, MetricMeaning]:
    """Metrics by their whole names. Which log or group one is about, its labels say."""
    out = {}
    for name, value in names.items():
        where = f"metrics.names.{name}"
        told = settings_file.table(path, where, value)
        for key in told:
            if key not in _METRIC:
                raise settings_file.unknown(path, f"{where}.{key}", tuple(f"{where}.{known}" for known in _METRIC))
        quantity, lag_meaning, reporter = (told.get(key) for key in _METRIC)
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
        out[name] = MetricMeaning(reporter or "site", kind, quantity, lag_meaning)
    return out


def labels(path: Path, roles: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    for role, told in roles.items():
        if role not in metric_names.LABELS:
            known = tuple(f"metrics.labels.{known}" for known in metric_names.LABELS)
            raise settings_file.unknown(path, f"metrics.labels.{role}", known)
        if not (isinstance(told, list) and all(isinstance(label, str) for label in told)):
            raise UsageError(
                f"metrics.labels.{role} in {path} is {told!r}", "Give a list of labels, the telling one first"
            )
    return {role: tuple(told) for role, told in roles.items()}
