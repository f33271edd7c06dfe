"""Rules on silver.offset_commits."""

from expectations.rule import Rule

_TABLE = "silver.offset_commits"

OFFSET_RULES = (
    Rule(
        name="committed_offset_is_not_negative",
        table=_TABLE,
        broken_when="committed_offset < 0",
        because="a position is one integer: the offset of the next record to read",
        source="Kafka documentation, Design, The Consumer: consumer position",
        action="reject",
    ),
    Rule(
        name="commit_names_a_real_partition",
        table=_TABLE,
        broken_when="""
            coalesce(group_id, '') = '' or partition_id is null or partition_id < 0
            or topic is null or not topic rlike '^[a-zA-Z0-9._-]{1,249}$' or topic in ('.', '..')""",
        because="a group commits an offset for one partition of one topic",
        source="Kafka documentation, Distribution: consumer offset tracking",
        action="reject",
    ),
    Rule(
        name="one_record_per_log_position",
        table=_TABLE,
        broken_when="contradicted",
        because="an offset of __consumer_offsets holds one record; between two replicas the higher leader epoch wins",
        source="KIP-101: leader epochs decide between replicas of a log",
        action="reject",
    ),
    Rule(
        name="group_is_in_its_own_partition",
        table=_TABLE,
        broken_when="offsets_partition <> group_hash % offsets_partitions",
        because="a group has one coordinator: its partition of __consumer_offsets is the hash of its id modulo their number",
        source="Kafka documentation, Distribution: consumer offset tracking",
        action="reject",
    ),
    Rule(
        name="commit_time_is_possible",
        table=_TABLE,
        broken_when="""
            least(committed_at, recorded_at) < timestamp'2010-01-01 00:00:00'
            or greatest(committed_at, recorded_at) >= cast(date_add(delivered_on, 2) as timestamp)""",
        because="a record is written before it is delivered, and no Kafka cluster is older than 2010",
        source="KIP-32: timestamps of records",
        action="reject",
    ),
    Rule(
        name="commit_is_not_past_the_log_end",
        table=_TABLE,
        broken_when="""
            committed_offset > log_end_before and committed_offset > log_end_after
            and log_end_after >= log_end_before""",
        because="a commit above what was processed loses messages, and above the log end there is nothing to process",
        source="Kafka documentation, Design: message delivery semantics",
        action="reject",
    ),
    Rule(
        name="commit_moves_forward",
        table=_TABLE,
        broken_when="""
            coalesce(transaction, 'none') in ('none', 'committed') and committed_offset < previous_committed_offset""",
        because="records above a commit that moves back are read again: an asynchronous commit of 2000 was retried after 3000 had succeeded",
        source="KafkaConsumer Javadoc, commitAsync: asynchronous commits",
        action="warn",
        on="accepted",
    ),
)
