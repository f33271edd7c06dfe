"""Settings from `lagoon.toml`, the environment and the command line; each overrides the one before."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from expectations.arrival_rules import ARRIVAL_RULES
from expectations.rules import RULE_NAMES
from kafka_telemetry.formats.lag.metric_names import DEFAULT_NAMES, MetricNames
from spark_jobs import custom_formats, settings_file
from spark_jobs.alerts.alert_settings import NO_ALERT_TABLES, AlertSettings, alert_settings
from spark_jobs.cluster_settings import Cluster, read_cluster
from spark_jobs.errors import UsageError
from spark_jobs.settings_file import GOLD, LAG_READINGS, LOG_LINES, SILVER, Setting
from spark_jobs.store.store_access import DEFAULT_ACCESS, STORE_SETTINGS, StoreAccess, store_access

SOURCES = ("group_logs", "offset_dumps", "lag_metrics")
ACTIONS = ("warn", "reject", "halt")

SETTINGS = (
    Setting("lagoon.landing", "./landing", "folder or URI to which telemetry is delivered"),
    Setting("lagoon.lake", "./lake", "folder or URI of the tables"),
    Setting("lagoon.links", "skip", "what to do with symbolic links in landing", choices=("skip", "follow")),
    Setting("lagoon.log_file", "", "file that runs are logged to; if empty, logs/lagoon.log in the lake"),
    *STORE_SETTINGS,
    Setting("spark.master", "local[*]", "Spark master"),
    Setting("spark.driver_memory", "2g", "memory of the Spark driver, which does all the work on a local master"),
    Setting("spark.executor_seconds", 300, "a cluster must have started an executor after this many seconds"),
    Setting("spark.java_home", "", "JDK to use; if empty, JAVA_HOME, then the `java` on the path"),
    Setting("sql.memory", "2GB", "memory of one query in DuckDB; what needs more runs in Spark"),
    Setting("sql.seconds", 300, "a query in DuckDB is ended after this many seconds"),
    Setting("dashboard.seconds", 20, "a panel of the dashboard is ended after this many seconds"),
    Setting("dashboard.token", "", "what browsers of other machines must have; if empty, a new one at each start"),
    Setting(
        *("rebalances.storm_count", 5, "this many rebalances of a group within rebalances.storm_minutes are a storm"),
        changes=GOLD,
    ),
    Setting(
        *("rebalances.storm_minutes", 10, "minutes in which rebalances.storm_count rebalances are a storm"),
        changes=GOLD,
    ),
    Setting(
        *("gate.max_rejected_share", 0.5, "a delivery is halted if more than this share of its rows is rejected"),
        changes=SILVER,
    ),
    Setting("gold.threads", 4, "number of dbt models built in parallel"),
    Setting("gold.status_window", 10, "number of commits that the status of a partition looks back at", changes=GOLD),
    Setting(
        *("gold.status_minimum_complete", 0.0, "share of that window that must be filled; below it the status is ok"),
        changes=GOLD,
    ),
    Setting(
        *("gold.status_allowed_lag", 0, "a partition that lags by no more than this many records is ok"),
        minimum=0,
        changes=GOLD,
    ),
    Setting(
        *("findings.ignored_groups", "console-consumer-*"),
        "groups without findings and health: names separated by commas, * stands for any text",
        changes=GOLD,
    ),
    Setting("lineage.url", "", "OpenLineage server to which runs send what they read and write; if empty, none"),
    Setting("lineage.namespace", "lagoon", "OpenLineage namespace of the jobs"),
    Setting("upkeep.time_travel_days", 7, "days for which `lagoon upkeep` keeps old versions of the tables"),
    Setting(*("upkeep.bronze_days", 0, "days of delivery that bronze keeps; 0: all"), minimum=0),
    Setting(*("upkeep.silver_days", 0, "event days that silver keeps; 0: all"), minimum=0),
    Setting(*("upkeep.gold_days", 0, "event days that gold keeps; 0: all"), minimum=0),
    Setting(*("upkeep.quality_days", 0, "days of which quarantine and rule results are kept; 0: all"), minimum=0),
    Setting(
        *("upkeep.alert_days", 400, "days for which alerts and silences are kept when they have ended; 0: all"),
        minimum=0,
    ),
    Setting(*("upkeep.report_days", 0, "days of which HTML reports are kept; 0: all"), minimum=0),
    Setting(*("upkeep.data_docs_days", 0, "days of which Data Docs are kept; 0: all"), minimum=0),
    Setting(
        *("upkeep.landing_days", 0, "days of delivery whose files stay in landing once bronze has them; 0: all"),
        minimum=0,
    ),
    Setting("alerts.recent_days", 3, "a day this close to the newest event day opens alerts; older ones are history"),
    Setting(
        "alerts.repeat_after_hours",
        0,
        "an alert that is still open is sent again after so many hours; 0: only if it changes",
        minimum=0,
    ),
    Setting(
        "alerts.worse_by_percent",
        100,
        "an alert is worse if its cost or its number of subjects has grown by this since it was sent",
    ),
    Setting("alerts.late_after_hours", 26, "`lagoon alerts check` fails if no run has finished for so many hours"),
    Setting(
        "alerts.report_url", "", "address at which the folder reports of the lake is hosted, for links in messages"
    ),
)

# Tables whose keys users choose, and what each changes.
OPEN_TABLES = {
    "gate.actions": SILVER,
    "spark.config": "",
    "logs.patterns": LOG_LINES,
    "metrics.names": LAG_READINGS,
    "metrics.labels": LAG_READINGS,
    "alerts.conditions": "",
    "alerts.channels": "",
    "alerts.teams": "",
}
_SECTIONS = (
    "lagoon",
    "store",
    "spark",
    "sql",
    "dashboard",
    "lineage",
    "rebalances",
    "gate",
    "gold",
    "findings",
    "upkeep",
    "logs",
    "metrics",
    "alerts",
    "clusters",
)


@dataclass(frozen=True)
class Settings:
    values: Mapping[str, str | int | float]
    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    rule_actions: Mapping[str, str] = field(default_factory=dict)
    spark_config: Mapping[str, str] = field(default_factory=dict)
    log_patterns: Mapping[str, str] = field(default_factory=dict)
    metric_names: MetricNames = DEFAULT_NAMES
    # Not in the text of the settings: addresses are secrets.
    alerts: AlertSettings = field(default=NO_ALERT_TABLES, repr=False)
    store: StoreAccess = DEFAULT_ACCESS
    file: Path | None = None

    @property
    def landing(self) -> str:
        return str(self.values["lagoon.landing"])

    @property
    def lake(self) -> str:
        return str(self.values["lagoon.lake"])

    @property
    def follow_links(self) -> bool:
        return self.values["lagoon.links"] == "follow"

    def text(self, name: str) -> str:
        return str(self.values[name])

    def integer(self, name: str) -> int:
        return int(self.values[name])

    def share(self, name: str) -> float:
        return float(self.values[name])

    def cluster(self, name: str) -> Cluster:
        return self.clusters.get(name, Cluster())

    def open_table(self, name: str) -> Mapping[str, object]:
        tables: dict[str, Mapping[str, object]] = {
            "gate.actions": self.rule_actions,
            "spark.config": self.spark_config,
            "logs.patterns": self.log_patterns,
            "metrics.names": self.metric_names.metrics,
            "metrics.labels": self.metric_names.labels,
            # Those of alerts change no rows.
        }
        return tables.get(name, {})


def load(
    *,
    file: str | None = None,
    landing: str | None = None,
    lake: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    env = os.environ if environment is None else environment
    path = Path(file or env.get("LAGOON_CONFIG") or "lagoon.toml")
    if path.is_file():
        settings = _from_document(settings_file.read(path), path)
    elif file or env.get("LAGOON_CONFIG"):
        raise UsageError(f"the settings file {path} does not exist", "Correct --config or LAGOON_CONFIG")
    else:
        settings = Settings({setting.name: setting.default for setting in SETTINGS})
    values = dict(settings.values)
    for setting in SETTINGS:
        if setting.variable in env:
            values[setting.name] = settings_file.converted(
                setting, env[setting.variable], f"the variable {setting.variable}"
            )
    if landing:
        values["lagoon.landing"] = landing
    if lake:
        values["lagoon.lake"] = lake
    return replace(settings, values=values, store=store_access(values, env))


def _from_document(document: dict[str, Any], path: Path) -> Settings:
    known = {setting.name: setting for setting in SETTINGS}
    values: dict[str, str | int | float] = {setting.name: setting.default for setting in SETTINGS}
    for section in document:
        if section not in _SECTIONS:
            raise settings_file.unknown_key(path, section, _SECTIONS)
    for section in _SECTIONS:
        table = settings_file.table(path, section, document.get(section, {}))
        for key, value in table.items():
            name = f"{section}.{key}"
            if section == "clusters" or name in OPEN_TABLES:
                settings_file.table(path, name, value)
                continue
            if name not in known:
                raise settings_file.unknown_key(path, name, (*known, *OPEN_TABLES))
            values[name] = settings_file.converted(known[name], value, f"{name} in {path}")
    # A relative path is relative to the folder of the settings file, so that each command finds the same lake.
    for name in ("lagoon.landing", "lagoon.lake", "lagoon.log_file", "store.credentials_file"):
        uri, (section, _, key) = str(values[name]), name.partition(".")
        if uri and key in document.get(section, {}) and "://" not in uri:
            values[name] = str(path.parent / uri)
    tables = {f"{section}.{key}": table for section in _SECTIONS for key, table in document.get(section, {}).items()}
    actions = tables.get("gate.actions", {})
    for rule, action in actions.items():
        if rule not in RULE_NAMES:
            raise settings_file.unknown_key(
                path, f"gate.actions.{rule}", tuple(f"gate.actions.{name}" for name in RULE_NAMES)
            )
        if action not in ACTIONS:
            raise UsageError(f"gate.actions.{rule} in {path} is {action!r}", f"Use one of {', '.join(ACTIONS)}")
        if action != "warn" and rule in {each.name for each in ARRIVAL_RULES}:
            raise UsageError(
                f"gate.actions.{rule} in {path} is {action!r}, and it judges tables that are built already",
                "Leave it out: the rule can only warn",
            )
    return Settings(
        values=values,
        clusters={
            name: read_cluster(path, name, table, SOURCES) for name, table in document.get("clusters", {}).items()
        },
        rule_actions=actions,
        spark_config={key: str(value) for key, value in tables.get("spark.config", {}).items()},
        log_patterns=custom_formats.log_patterns(path, tables.get("logs.patterns", {})),
        metric_names=MetricNames(
            custom_formats.metrics(path, tables.get("metrics.names", {})),
            custom_formats.labels(path, tables.get("metrics.labels", {})),
        ),
        alerts=alert_settings(
            path,
            {
                name.removeprefix("alerts."): tables[name]
                for name in OPEN_TABLES
                if name in tables and name.startswith("alerts.")
            },
        ),
        file=path,
    )
