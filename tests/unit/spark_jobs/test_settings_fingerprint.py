"""What each setting makes stale, over all settings that there are."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from kafka_telemetry.formats.lag.metric_names import MetricMeaning, MetricNames
from spark_jobs.alerts.alert_settings import AlertSettings, Channel, Condition, Team
from spark_jobs.cluster_settings import Cluster
from spark_jobs.settings import OPEN_TABLES, SETTINGS, Settings, load
from spark_jobs.settings_fingerprint import settings_fingerprint

SPARK_JOBS = Path(__file__).parents[3] / "spark_jobs"
# What has a fingerprint of its settings in the ledger.
PARTS = ("bronze.log_lines", "bronze.lag_readings", "bronze.offset_records", "delivery", "silver", "gold")
DEFAULTS = load(environment={}, file=None)

# Each setting, with another value, and what it makes stale; what is built from that is stale with it.
STALE = {
    "lagoon.landing": ("./elsewhere", None),
    "lagoon.lake": ("./elsewhere", None),
    "lagoon.links": ("follow", None),
    "lagoon.log_file": ("./elsewhere.log", None),
    "spark.master": ("local[1]", None),
    "spark.driver_memory": ("3g", None),
    "spark.executor_seconds": (30, None),
    "spark.java_home": ("/opt/java", None),
    "sql.memory": ("1GB", None),
    "sql.seconds": (30, None),
    "dashboard.seconds": (5, None),
    "upkeep.alert_days": (30, None),
    "store.endpoint": ("http://127.0.0.1:7070", None),
    "store.region": ("eu-west-1", None),
    "store.addressing": ("virtual", None),
    "store.credentials_file": ("keys.ini", None),
    "lineage.url": ("http://127.0.0.1:5000", None),
    "lineage.namespace": ("kafka", None),
    "dashboard.token": ("a token of sixteen letters", None),
    "findings.ignored_groups": ("test-*", "gold"),
    "rebalances.storm_count": (6, "gold"),
    "rebalances.storm_minutes": (11, "gold"),
    "gate.max_rejected_share": (0.4, "silver"),
    "gold.threads": (1, None),
    "gold.status_window": (11, "gold"),
    "gold.status_minimum_complete": (0.1, "gold"),
    "gold.status_allowed_lag": (1, "gold"),
    "upkeep.time_travel_days": (1, None),
    "upkeep.bronze_days": (30, None),
    "upkeep.silver_days": (60, None),
    "upkeep.gold_days": (60, None),
    "upkeep.quality_days": (60, None),
    "upkeep.report_days": (60, None),
    "upkeep.data_docs_days": (60, None),
    "upkeep.landing_days": (60, None),
    "alerts.recent_days": (7, None),
    "alerts.repeat_after_hours": (24, None),
    "alerts.worse_by_percent": (50, None),
    "alerts.late_after_hours": (3, None),
    "alerts.report_url": ("https://example.org", None),
    "alerts.conditions": (AlertSettings({"all": Condition()}, {}, {}), None),
    "alerts.channels": (AlertSettings({}, {"hook": Channel(webhook="http://127.0.0.1/")}, {}), None),
    "alerts.teams": (AlertSettings({}, {}, {"payments": Team()}), None),
    "gate.actions": ({"commit_moves_forward": "reject"}, "silver"),
    "spark.config": ({"spark.sql.shuffle.partitions": "3"}, None),
    "logs.patterns": ({"jobs": "^(?P<time>[^|]*)"}, "bronze.log_lines"),
    "metrics.names": (MetricNames({"m": MetricMeaning("site", "group_offset", "reported_lag", None)}, {}), "bronze.lag_readings"),
    "metrics.labels": (MetricNames({}, {"group": ("app",)}), "bronze.lag_readings"),
    "clusters.eu.timezone": ("Europe/Berlin", "bronze.log_lines"),
    "clusters.eu.offsets_partitions": (3, "silver"),
    "clusters.eu.offsets_retention_minutes": (60, "gold"),
    "clusters.eu.expected_sources": (("group_logs",), "delivery"),
    "clusters.eu.bootstrap_servers": ("one:9092", None),
    "clusters.eu.kafka_config": ("client.properties", None),
}  # fmt: skip
_ATTRIBUTES = {
    "gate.actions": "rule_actions",
    "spark.config": "spark_config",
    "logs.patterns": "log_patterns",
    "metrics.names": "metric_names",
    "metrics.labels": "metric_names",
    **dict.fromkeys(("alerts.conditions", "alerts.channels", "alerts.teams"), "alerts"),
}


def with_setting(name: str, value: object) -> Settings:
    if name in _ATTRIBUTES:
        return replace(DEFAULTS, **{_ATTRIBUTES[name]: value})
    if name.startswith("clusters.eu."):
        return replace(DEFAULTS, clusters={"eu": Cluster(**{name.removeprefix("clusters.eu."): value})})
    return replace(DEFAULTS, values={**DEFAULTS.values, name: value})


def fingerprints(settings: Settings) -> dict[str, int | None]:
    return {part: settings_fingerprint(settings, [part], ["eu"]) for part in PARTS}


def test_every_setting_is_in_the_sweep() -> None:
    names = {setting.name for setting in SETTINGS} | set(OPEN_TABLES)
    assert set(STALE) == names | {f"clusters.eu.{field.name}" for field in fields(Cluster)}


def test_settings_that_have_their_defaults_have_no_fingerprint() -> None:
    assert fingerprints(DEFAULTS) == dict.fromkeys(PARTS)
    written_out = {"commit_moves_forward": "warn"}
    assert fingerprints(replace(DEFAULTS, rule_actions=written_out, clusters={"eu": Cluster()})) == dict.fromkeys(PARTS)


@pytest.mark.parametrize("name", STALE)
def test_a_changed_setting_makes_stale_what_depends_on_it_and_nothing_else(name: str) -> None:
    value, part = STALE[name]
    changed = {part for part, now in fingerprints(with_setting(name, value)).items() if now is not None}
    assert changed == ({part} if part else set())


def test_the_settings_of_one_cluster_make_nothing_stale_of_another() -> None:
    changed = with_setting("clusters.eu.timezone", "Europe/Berlin")
    assert settings_fingerprint(changed, PARTS, ["us"]) is None


@pytest.mark.parametrize("layer", ["silver", "gold"])
def test_every_setting_that_a_layer_reads_is_declared_to_change_it(layer: str) -> None:
    declared = {setting.name: setting.changes for setting in SETTINGS}
    declared |= {f".{field.name}": field.metadata["changes"] for field in fields(Cluster)}
    text = "\n".join(path.read_text("utf-8") for path in sorted((SPARK_JOBS / layer).rglob("*.py")))
    read = set(re.findall(r"(?:text|integer|share)\(\s*\"([\w.]+)\"", text))
    read |= {name for name in declared if name.startswith(".") and re.search(rf"{re.escape(name)}\b", text)}
    # How many models are built at a time changes no row; the zone of logs is only named in a sentence.
    read -= {"gold.threads", ".timezone"}
    assert len(read) >= 2
    assert {declared[name] for name in read} <= {layer, "delivery"}
