"""The settings of a broker that decide about its groups, from `KafkaConfig values:`, which it prints as it starts."""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs import consumer_config
from kafka_telemetry.formats.logs.captures import Captures

OPENINGS = ("KafkaConfig values:",)
EVENT = "broker_configured"
_SETTINGS = (
    "group.consumer.heartbeat.interval.ms",
    "group.consumer.session.timeout.ms",
    "message.max.bytes",
    "offsets.retention.minutes",
    "offsets.topic.num.partitions",
)


def capture_settings(message: pa.StringArray, rows: Integers, captures: Captures) -> None:
    """Adds the settings of the messages at these rows, each under its name."""
    maps = consumer_config.parse_settings(message.take(pa.array(rows)))
    for name in _SETTINGS:
        captures.add(name, rows, pc.map_lookup(maps, pa.scalar(name), "first"))
