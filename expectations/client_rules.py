"""Rules on silver.client_configs: the settings that consumers printed when they started."""

from expectations.rule import Rule
from expectations.thresholds import BATCH_OVERHEAD_BYTES, HEARTBEATS_PER_SESSION

_TABLE = "silver.client_configs"

CLIENT_RULES = (
    Rule(
        name="heartbeat_is_a_third_of_the_session",
        table=_TABLE,
        # Members of the consumer protocol (KIP-848) get both from the broker.
        broken_when=f"""
            case when coalesce(lower(settings['group.protocol']), 'classic') = 'classic' then
                try_cast(settings['heartbeat.interval.ms'] as bigint)
                > try_cast(settings['session.timeout.ms'] as bigint) div {HEARTBEATS_PER_SESSION}
            end""",
        because="a session that has time for three heartbeats outlives a lost one; one that has time for none ends at once",
        topic="Heartbeats and sessions",
        source="Kafka documentation, Consumer configs: heartbeat.interval.ms",
        action="warn",
        remedy="Set heartbeat.interval.ms to at most a third of session.timeout.ms",
    ),
    Rule(
        name="fetch_can_hold_the_largest_message",
        table=_TABLE,
        broken_when=f"""
            try_cast(settings['max.partition.fetch.bytes'] as bigint) + {BATCH_OVERHEAD_BYTES} < largest_message_bytes""",
        because="a batch that the broker accepts should fit into one fetch; before Kafka 0.10.1 a consumer got stuck at a larger one, and since then it fetches one at a time",
        topic="The stuck consumer",
        source="Kafka documentation, Consumer configs: max.partition.fetch.bytes",
        action="warn",
        remedy="Set max.partition.fetch.bytes to at least the message.max.bytes of the brokers",
        on="accepted",
    ),
    Rule(
        name="poll_interval_fits_the_batch",
        table=_TABLE,
        broken_when="poll_interval_leaves > 0",
        because="a consumer that needs longer than max.poll.interval.ms for a batch leaves the group, and its batch is processed again",
        topic="The poll loop",
        source="Kafka documentation, Consumer configs: max.poll.interval.ms",
        action="warn",
        remedy="Set max.poll.interval.ms above the time that the longest batch takes, or max.poll.records lower",
        on="accepted",
    ),
)
