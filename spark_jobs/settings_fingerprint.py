"""A fingerprint of the settings that rows depend on, by which the ledger knows what was built with other settings."""

from collections.abc import Iterable, Iterator
from dataclasses import fields

from expectations.rules import RULES
from spark_jobs.cluster_settings import Cluster
from spark_jobs.lake.ledger import fingerprint
from spark_jobs.settings import OPEN_TABLES, SETTINGS, Settings


def settings_fingerprint(settings: Settings, changes: Iterable[str], clusters: Iterable[str]) -> int | None:
    """Of the settings that change one of `changes` (see Setting). None where all have their defaults, which so never make
    stale what an earlier version built."""
    wanted, ordered = set(changes), sorted(clusters)
    different = [f"{name} = {value!r}" for name, value, of in _not_default(settings, ordered) if of in wanted]
    return fingerprint(different) if different else None


def _not_default(settings: Settings, clusters: Iterable[str]) -> Iterator[tuple[str, object, str]]:
    """Name, value and what it changes."""
    for setting in SETTINGS:
        if settings.values[setting.name] != setting.default:
            yield setting.name, settings.values[setting.name], setting.changes
    for table, changes in OPEN_TABLES.items():
        values = list(settings.open_table(table).items())
        if table == "gate.actions":
            # Written out or not, the action that a rule has anyway changes nothing.
            defaults = {(rule.name, rule.action) for rule in RULES}
            values = sorted((name, str(action)) for name, action in values if (name, action) not in defaults)
        if values:
            yield table, values, changes
    for name in clusters:
        for field in fields(Cluster):
            value = getattr(settings.cluster(name), field.name)
            if value != field.default:
                yield f"clusters.{name}.{field.name}", value, field.metadata["changes"]
