"""Rules on silver.offset_commits."""

from expectations.rule import Rule
from expectations.thresholds import LATE_COMMIT_INTERVALS

_TABLE = "silver.offset_commits"

OFFSET_RULES = (
    Rule(
        name="committed_offset_is_not_negative",
        table=_TABLE,
        broken_when="committed_offset < 0",
        because="a position is one integer: the offset of the next record to read",
        topic="Offsets and positions",
        source="Kafka documentation, Design, The Consumer: consumer position",
        action="reject",
        remedy="Deliver the dump again; if it is damaged at its source, copy the segment again from another replica",
    ),
    Rule(
        name="commit_names_a_real_partition",
        table=_TABLE,
        broken_when="""
            coalesce(group_id, '') = '' or partition_id is null or partition_id < 0
            or topic is null or not topic rlike '^[a-zA-Z0-9._-]{1,249}$' or topic in ('.', '..')""",
        because="a group commits an offset for one partition of one topic",
        topic="Offsets and positions",
        source="Kafka documentation, Distribution: consumer offset tracking",
        action="reject",
        remedy="Find the client that commits without a group or to an illegal topic name, and check the dump for damage",
    ),
    Rule(
        name="one_record_per_log_position",
        table=_TABLE,
        broken_when="contradicted",
        because="an offset of __consumer_offsets holds one record; between two replicas the higher leader epoch wins",
        topic="The offsets topic is a log",
        source="KIP-101: leader epochs decide between replicas of a log",
        action="reject",
        remedy="Find out which of the files belongs to another cluster or partition, and deliver it there",
    ),
    Rule(
        name="group_is_in_its_own_partition",
        table=_TABLE,
        broken_when="offsets_partition <> group_hash % offsets_partitions",
        because="a group has one coordinator: its partition of __consumer_offsets is the hash of its id modulo their number",
        topic="One coordinator for each group",
        source="Kafka documentation, Distribution: consumer offset tracking",
        action="reject",
        remedy="Move the file into the folder of its partition, or set clusters.NAME.offsets_partitions in lagoon.toml",
    ),
    Rule(
        name="commit_time_is_possible",
        table=_TABLE,
        broken_when="""
            least(committed_at, recorded_at) < timestamp'2010-01-01 00:00:00'
            or greatest(committed_at, recorded_at) >= cast(date_add(delivered_on, 2) as timestamp)""",
        because="a record is written before it is delivered, and no Kafka cluster is older than 2010",
        topic="The offsets topic is a log",
        source="KIP-32: timestamps of records",
        action="reject",
        remedy="Correct the clock of the broker or client that wrote the record, or deliver the file under its own day",
    ),
    Rule(
        name="commit_is_not_past_the_log_end",
        table=_TABLE,
        broken_when="""
            committed_offset > log_end_before and committed_offset > log_end_after
            and log_end_after >= log_end_before""",
        because="a commit above what was processed loses messages, and above the log end there is nothing to process",
        topic="Committed above processed loses records",
        source="Kafka documentation, Design: message delivery semantics",
        action="reject",
        remedy="Commit only offsets of records that were read; the consumer will reset, so set its position with kafka-consumer-groups --reset-offsets",
    ),
    Rule(
        name="commit_moves_forward",
        table=_TABLE,
        broken_when="""
            coalesce(transaction, 'none') in ('none', 'committed') and committed_offset < previous_committed_offset""",
        because="records above a commit that moves back are read again: an asynchronous commit of 2000 was retried after 3000 had succeeded",
        topic="Synchronous and asynchronous commits",
        source="KafkaConsumer Javadoc, commitAsync: asynchronous commits",
        action="warn",
        remedy="Retry no asynchronous commit, or only if no newer one was sent; commit synchronously before closing",
        on="accepted",
    ),
    Rule(
        name="auto_commit_keeps_its_interval",
        table=_TABLE,
        # Only between two commits while one consumer owned the partition.
        broken_when=f"""
            case when
                owner_client_id is not null
                and coalesce(owner_since <= previous_committed_at, true)
                and not after_tombstone
                and coalesce(transaction, 'none') = 'none'
            then
                unix_millis(committed_at) - unix_millis(previous_committed_at)
                > {LATE_COMMIT_INTERVALS} * auto_commit_interval_ms
            end""",
        because="auto-commit commits in poll, so a commit that is late shows a poll that was late, and all that was processed since is at stake",
        topic="Automatic commits",
        source="Kafka documentation, Consumer configs: auto.commit.interval.ms",
        action="warn",
        remedy="Poll more often: fewer records at a time (max.poll.records), or less work between polls",
        on="accepted",
    ),
    Rule(
        name="last_commit_before_leaving",
        table=_TABLE,
        broken_when="committed_offset < reached_by_reader",
        because="what a reader commits last before it closes or gives up a partition is where the next one starts; below what it had reached, records are processed again",
        topic="The last commit before close or revoke",
        source="KafkaConsumer Javadoc: commitSync before close and in onPartitionsRevoked",
        action="warn",
        remedy="Commit synchronously before close and in onPartitionsRevoked, after all asynchronous commits have ended",
        on="accepted",
    ),
)
