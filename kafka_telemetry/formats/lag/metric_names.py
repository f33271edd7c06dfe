"""What a metric's name and labels mean, exporter by exporter; a site may add its own names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import NamedTuple


class Meaning(NamedTuple):
    reporter: str
    kind: str  # of the row: group_offset, log_offset, group_state
    # A column of LAG_READING or the key of a detail. `lag_seconds` fills reported_lag_ms; `info` tells by its labels.
    quantity: str
    lag_meaning: str | None = None


# Role of a label, and the labels that play it, the telling one first: relabelling adds labels such as `group`.
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

# Whole names. KMinion's begin with a namespace of the site's choice. Names of the JMX exporter are whatever its rules
# make of an MBean: only their ends can be relied on.
_NAMES: tuple[tuple[str, Meaning], ...] = (
    (r"kafka_consumergroup_lag", Meaning(_KAFKA_EXPORTER, "group_offset", "reported_lag", "signed")),
    (r"kafka_consumergroup_current_offset", Meaning(_KAFKA_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumergroup_members", Meaning(_KAFKA_EXPORTER, "group_state", "members")),
    (r"kafka_topic_partition_current_offset", Meaning(_KAFKA_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_topic_partition_oldest_offset", Meaning(_KAFKA_EXPORTER, "log_offset", "log_start_offset")),
    (
        r"(?:\w+_)?kafka_consumer_group_topic_partition_lag",
        Meaning(_KMINION, "group_offset", "reported_lag", "clamped"),
    ),
    (r"(?:\w+_)?kafka_topic_partition_high_water_mark", Meaning(_KMINION, "log_offset", "log_end_offset")),
    (r"(?:\w+_)?kafka_topic_partition_low_water_mark", Meaning(_KMINION, "log_offset", "log_start_offset")),
    (r"(?:\w+_)?kafka_consumer_group_info", Meaning(_KMINION, "group_state", "info")),
    (r"(?:\w+_)?kafka_consumer_group_members", Meaning(_KMINION, "group_state", "members")),
    (r"kafka_consumergroup_group_lag", Meaning(_LAG_EXPORTER, "group_offset", "reported_lag", "clamped")),
    (r"kafka_consumergroup_group_lag_seconds", Meaning(_LAG_EXPORTER, "group_offset", "lag_seconds")),
    (r"kafka_consumergroup_group_offset", Meaning(_LAG_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumergroup_group_state", Meaning(_LAG_EXPORTER, "group_state", "state_code")),
    (r"kafka_partition_latest_offset", Meaning(_LAG_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_partition_earliest_offset", Meaning(_LAG_EXPORTER, "log_offset", "log_start_offset")),
    (r"kafka_consumer_group_lag", Meaning(_GROUP_EXPORTER, "group_offset", "reported_lag", "clamped")),
    (r"kafka_consumer_group_offset", Meaning(_GROUP_EXPORTER, "group_offset", "committed_offset")),
    (r"kafka_consumer_group_commit_timestamp", Meaning(_GROUP_EXPORTER, "group_offset", "commit_timestamp")),
    (r"kafka_topic_highwater", Meaning(_GROUP_EXPORTER, "log_offset", "log_end_offset")),
    (r"kafka_topic_lowwater", Meaning(_GROUP_EXPORTER, "log_offset", "log_start_offset")),
    (r"burrow_kafka_consumer_partition_lag", Meaning(_BURROW, "group_offset", "reported_lag", "unsigned")),
    (r"burrow_kafka_consumer_current_offset", Meaning(_BURROW, "group_offset", "committed_offset")),
    (r"burrow_kafka_topic_partition_status", Meaning(_BURROW, "group_offset", "status_code")),
    (r"burrow_kafka_consumer_status", Meaning(_BURROW, "group_state", "status_code")),
    (r"burrow_kafka_topic_partition_offset", Meaning(_BURROW, "log_offset", "log_end_offset")),
    (r"(?:\w+_)?records_lag", Meaning("jmx_client", "group_offset", "reported_lag", "position")),
    (r"(?:\w+_)?records_lead", Meaning("jmx_client", "group_offset", "records_lead")),
    (
        r"(?i:kafka_log_(?:log_)?(?:value_)?log_?end_?offset(?:_value)?)",
        Meaning("jmx_broker", "log_offset", "log_end_offset"),
    ),
    (
        r"(?i:kafka_log_(?:log_)?(?:value_)?log_?start_?offset(?:_value)?)",
        Meaning("jmx_broker", "log_offset", "log_start_offset"),
    ),
)

# The default rule of the JMX exporter names the attribute `Value` and leaves the bean's name in a label.
NAMED_BY_LABEL = re.compile(r"(?i:kafka_log_log_value)")

# klag-exporter gives states as numbers, Burrow's Prometheus statuses.
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

# KMinion's info: the label, and the detail that it is.
INFO: Mapping[str, str] = MappingProxyType(
    {"state": "state", "protocol": "assignor", "protocol_type": "protocol_type", "coordinator_id": "coordinator_id"}
)

# What a site may say of a metric of its own.
QUANTITIES = ("committed_offset", "log_start_offset", "log_end_offset", "reported_lag", "lag_seconds")
LAG_MEANINGS = ("signed", "clamped", "unsigned", "position")


@dataclass(frozen=True)
class MetricNames:
    """A site's own names before the known ones: whole metric names, and labels by the role they play."""

    metrics: Mapping[str, Meaning] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if strange := set(self.labels) - set(LABELS):
            raise ValueError(f"no label plays the role {sorted(strange)}; roles are {list(LABELS)}")
        for name, meaning in self.metrics.items():
            if meaning.kind not in ("group_offset", "log_offset") or meaning.quantity not in QUANTITIES:
                raise ValueError(f"metric {name!r} can't mean {meaning}; quantities are {list(QUANTITIES)}")

    def meaning(self, name: str) -> Meaning | None:
        return self.metrics.get(name) or _known(name)

    def label_of(self, role: str, labels: Mapping[str, str]) -> str | None:
        """The label that plays the role; an empty label is none, as Prometheus has it."""
        for label in (*self.labels.get(role, ()), *LABELS[role]):
            if label in labels:
                return label
        return None


@cache
def _known(name: str) -> Meaning | None:
    return next((meaning for pattern, meaning in _NAMES if re.fullmatch(pattern, name)), None)


DEFAULT = MetricNames()
