"""What must be true of silver.offset_commits."""

from expectations.rule import Rule

_TABLE = "silver.offset_commits"

OFFSET_RULES = (
    Rule(
        name="committed_offset_is_not_negative",
        table=_TABLE,
        broken_when="committed_offset < 0",
        because="a position is one whole number, the next offset to read",
        source="C3 position",
        action="reject",
    ),
    Rule(
        name="commit_names_a_real_partition",
        table=_TABLE,
        broken_when="""
            coalesce(group_id, '') = '' or partition_id is null or partition_id < 0
            or topic is null or not topic rlike '^[a-zA-Z0-9._-]{1,249}$' or topic in ('.', '..')""",
        because="a commit is of one group for one partition of one topic",
        source="C1, C2 position",
        action="reject",
    ),
    Rule(
        name="one_record_per_log_position",
        table=_TABLE,
        broken_when="contradicted",
        because="__consumer_offsets is a log: a place in it holds one record, that of the highest leader epoch",
        source="C1, C2 position",
        action="reject",
    ),
    Rule(
        name="group_is_in_its_own_partition",
        table=_TABLE,
        broken_when="offsets_partition <> group_hash % offsets_partitions",
        because="a group has one coordinator: the partition is the group's hash modulo their number",
        source="C2 liveness",
        action="reject",
    ),
    Rule(
        name="commit_time_is_possible",
        table=_TABLE,
        broken_when="""
            least(committed_at, recorded_at) < timestamp'2010-01-01 00:00:00'
            or greatest(committed_at, recorded_at) >= cast(date_add(delivered_on, 2) as timestamp)""",
        because="a record is written before it is delivered, and Kafka is younger than 2010",
        source="C1, C2 position",
        action="reject",
    ),
    Rule(
        name="commit_is_not_past_the_log_end",
        table=_TABLE,
        broken_when="""
            committed_offset > log_end_before and committed_offset > log_end_after
            and log_end_after >= log_end_before""",
        because="committed above processed loses messages; past the log end there is no record to process",
        source="C1, C2 ahead",
        action="reject",
    ),
    Rule(
        name="commit_moves_forward",
        table=_TABLE,
        broken_when="""
            coalesce(transaction, 'none') in ('none', 'committed') and committed_offset < previous_committed_offset""",
        because="a commit below the one before delivers the records between again: 2000 retried after 3000 succeeded",
        source="C1, C2 asynchronous",
        action="warn",
        on="accepted",
    ),
)
