"""The meaning of metric names and labels, by exporter; a site can add names of its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import NamedTuple


class MetricMeaning(NamedTuple):
    reporter: str
    kind: str  # of the row: group_offset, log_offset, group_state
    # A column of LAG_READING or a key of its details. `lag_seconds` becomes reported_lag_ms; `info` has its values in labels.
    quantity: str
    lag_meaning: str | None = None


# The labels that can have each role. The most specific comes first, because relabelling adds labels such as `group`.
LABELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cluster": ("cluster_name", "cluster", "strimzi_io_cluster"),
        "group": ("consumergroup", "consumer_group", "group_id", "group"),
        "topic": ("topic", "topic_name"),
        "partition": ("partition", "partition_id"),
        "member": ("consumer_id", "member_id"),
        "client": ("client_id", "clientid", "clientId", "client-id"),
        "host": ("member_host", "client_host"),
    }
)

_KAFKA_EXPORTER = "kafka_exporter"  # Strimzi's Kafka Exporter has the same names
_KMINION = "kminion"
_LAG_EXPORTER = "kafka_lag_exporter"  # and its successor klag-exporter
_GROUP_EXPORTER = "consumer_group_exporter"
_BURROW = "burrow"

# Patterns of whole names. KMinion's begin with a namespace that the site chooses. The JMX exporter derives names from
# MBeans by rules of the site, so only the end of a name is reliable.
_NAMES: tuple[tuple[str, MetricMeaning], ...] = (
    (r"kafka_consumergroup_lag", MetricMeaning(_KAFKA_EXPORTER, "group_offset", "reported_lag", "signed")),
    (r"kafka_consumergroup_current_offset", MetricMeaning(_KAFKA_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumergroup_members", MetricMeaning(_KAFKA_EXPORTER, "group_state", "members")),
    (r"kafka_topic_partition_current_offset", MetricMeaning(_KAFKA_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_topic_partition_oldest_offset", MetricMeaning(_KAFKA_EXPORTER, "log_offset", "log_start_offset")),
    (
        r"(?:\w+_)?kafka_consumer_group_topic_partition_lag",
        MetricMeaning(_KMINION, "group_offset", "reported_lag", "clamped"),
    ),
    (r"(?:\w+_)?kafka_topic_partition_high_water_mark", MetricMeaning(_KMINION, "log_offset", "log_end_offset")),
    (r"(?:\w+_)?kafka_topic_partition_low_water_mark", MetricMeaning(_KMINION, "log_offset", "log_start_offset")),
    (r"(?:\w+_)?kafka_consumer_group_info", MetricMeaning(_KMINION, "group_state", "info")),
    (r"(?:\w+_)?kafka_consumer_group_members", MetricMeaning(_KMINION, "group_state", "members")),
    (r"kafka_consumergroup_group_lag", MetricMeaning(_LAG_EXPORTER, "group_offset", "reported_lag", "clamped")),
    (r"kafka_consumergroup_group_lag_seconds", MetricMeaning(_LAG_EXPORTER, "group_offset", "lag_seconds")),
    (r"kafka_consumergroup_group_offset", MetricMeaning(_LAG_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumergroup_group_state", MetricMeaning(_LAG_EXPORTER, "group_state", "state_code")),
    (r"kafka_partition_latest_offset", MetricMeaning(_LAG_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_partition_earliest_offset", MetricMeaning(_LAG_EXPORTER, "log_offset", "log_start_offset")),
    (r"kafka_consumer_group_lag", MetricMeaning(_GROUP_EXPORTER, "group_offset", "reported_lag", "clamped")),
    (r"kafka_consumer_group_offset", MetricMeaning(_GROUP_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumer_group_commit_timestamp", MetricMeaning(_GROUP_EXPORTER, "group_offset", "commit_timestamp")),
    (r"kafka_topic_highwater", MetricMeaning(_GROUP_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_topic_lowwater", MetricMeaning(_GROUP_EXPORTER, "log_offset", "log_start_offset")),
    (r"burrow_kafka_consumer_partition_lag", MetricMeaning(_BURROW, "group_offset", "reported_lag", "unsigned")),
    (r"burrow_kafka_consumer_current_offset", MetricMeaning(_BURROW, "group_offset", "committed_offset")),
    (r"burrow_kafka_topic_partition_status", MetricMeaning(_BURROW, "group_offset", "status_code")),
    (r"burrow_kafka_consumer_status", MetricMeaning(_BURROW, "group_state", "status_code")),
    (r"burrow_kafka_topic_partition_offset", MetricMeaning(_BURROW, "log_offset", "log_end_offset")),
    (r"(?:\w+_)?records_lag", MetricMeaning("jmx_client", "group_offset", "reported_lag", "position")),
    (r"(?:\w+_)?records_lead", MetricMeaning("jmx_client", "group_offset", "records_lead")),
    (
        r"(?i:kafka_log_(?:log_)?(?:value_)?log_?end_?offset(?:_value)?)",
        MetricMeaning("jmx_broker", "log_offset", "log_end_offset"),
    ),
    (
        r"(?i:kafka_log_(?:log_)?(?:value_)?log_?start_?offset(?:_value)?)",
        MetricMeaning("jmx_broker", "log_offset", "log_start_offset"),
    ),
)

# By the default rule of the JMX exporter the name ends in the attribute, `Value`, and a label holds the name of the MBean.
NAMED_BY_LABEL = re.compile(r"(?i:kafka_log_log_value)")

# klag-exporter reports group states as numbers, Burrow's Prometheus metrics statuses.
CODES: Mapping[str, tuple[str, Mapping[float, str]]] = MappingProxyType(
    {
        "state_code": (
            "state",
            {
                0: "Unknown",
                1: "PreparingRebalance",
                2: "CompletingRebalance",
                3: "Stable",
                4: "Dead",
                5: "Empty",
                6: "Assigning",
                7: "Reconciling",
            },
        ),
        "status_code": ("status", {0: "NOTFOUND", 1: "OK", 2: "WARN", 3: "ERR", 4: "STOP", 5: "STALL", 6: "REWIND"}),
    }
)

# The labels of KMinion's info metric, and their keys in the details.
INFO: Mapping[str, str] = MappingProxyType(
    {"state": "state", "protocol": "assignor", "protocol_type": "protocol_type", "coordinator_id": "coordinator_id"}
)

# The meanings that a site can give to a metric of its own.
QUANTITIES = ("committed_offset", "log_start_offset", "log_end_offset", "reported_lag", "lag_seconds")
LAG_MEANINGS = ("signed", "clamped", "unsigned", "position")


@dataclass(frozen=True)
class MetricNames:
    """Metric names and labels (by role) of a site, which take precedence over the built-in ones."""

    metrics: Mapping[str, MetricMeaning] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := set(self.labels) - set(LABELS):
            raise ValueError(f"no label has the role {sorted(unknown)}; roles are {list(LABELS)}")
        for name, meaning in self.metrics.items():
            if meaning.kind not in ("group_offset", "log_offset") or meaning.quantity not in QUANTITIES:
                raise ValueError(f"metric {name!r} can't mean {meaning}; quantities are {list(QUANTITIES)}")

    def meaning(self, name: str) -> MetricMeaning | None:
        return self.metrics.get(name) or _built_in_meaning(name)

    def label_of(self, role: str, labels: Mapping[str, str]) -> str | None:
        """The first of the role's labels that the series has, even if it is empty."""
        for label in (*self.labels.get(role, ()), *LABELS[role]):
            if label in labels:
                return label
        return None


@cache
def _built_in_meaning(name: str) -> MetricMeaning | None:
    return next((meaning for pattern, meaning in _NAMES if re.fullmatch(pattern, name)), None)


DEFAULT_NAMES = MetricNames()
