"""Rules on silver.lag_samples."""

from expectations.rule import Rule

_TABLE = "silver.lag_samples"

LAG_RULES = (
    Rule(
        name="lag_is_end_minus_committed",
        table=_TABLE,
        broken_when="""
            case lag_meaning
                when 'signed' then reported_lag <> lag
                when 'clamped' then reported_lag <> greatest(lag, 0)
                when 'unsigned' then reported_lag <> greatest(lag, 0)
            end""",
        because="lag is the log end offset minus the committed offset",
        source="Kafka documentation, Basic Operations: checking consumer position",
        action="reject",
    ),
    Rule(
        name="log_start_is_not_past_log_end",
        table=_TABLE,
        broken_when="log_start_offset > log_end_offset",
        because="a log starts before it ends",
        source="Kafka documentation, Implementation: log",
        action="reject",
    ),
    Rule(
        name="commit_is_not_behind_the_log_start",
        table=_TABLE,
        broken_when="committed_offset < coalesce(log_start_offset, known_log_start_offset)",
        because="the records at the committed offset are deleted, so auto.offset.reset decides where the group reads on",
        source="Kafka documentation, Consumer configs: auto.offset.reset",
        action="warn",
    ),
    Rule(
        name="lag_is_not_negative",
        table=_TABLE,
        broken_when="lag < 0",
        because="a small negative lag is a race, since log end and committed offset are not read at one instant; a lasting one is an error",
        source="Kafka documentation, Basic Operations: checking consumer position",
        action="warn",
    ),
    Rule(
        name="log_end_moves_forward",
        table=_TABLE,
        broken_when="log_end_offset < previous_log_end_offset",
        because="records are only appended to a log; an end that falls means truncation or a recreated topic",
        source="Kafka documentation, Implementation: log",
        action="warn",
    ),
    Rule(
        name="commit_names_the_next_record",
        table=_TABLE,
        broken_when="""
            case when lag is not null then lag = 1 and coalesce(sampled_at >= unchanged_since + interval 1 minute, false) end""",
        because="a committed offset names the next record to read; one that stays one below an unchanged log end is off by one",
        source="KafkaConsumer Javadoc: offsets and consumer position",
        action="warn",
    ),
    Rule(
        name="lag_is_not_frozen",
        table=_TABLE,
        broken_when="""
            case
                when lag > 0 and unchanged_since is null then false
                when lag > 0 then
                    unchanged_since < generation_changed_at and coalesce(other_log_end_offset <> log_end_offset, true)
            end""",
        because="a reporter that repeats its values from before a new generation has stopped reporting",
        source="Kafka documentation, Monitoring: consumer group metrics",
        action="warn",
    ),
)
