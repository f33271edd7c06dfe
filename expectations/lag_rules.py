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
        topic="Lag",
        source="Kafka documentation, Basic Operations: checking consumer position",
        action="reject",
        remedy="Check the version and the settings of the reporter: its lag is not that of the same row",
    ),
    Rule(
        name="log_start_is_not_past_log_end",
        table=_TABLE,
        # Reporters without a log start are judged by the starts read just before and after: one that fell in between is
        # that of a recreated topic.
        broken_when="""
            case
                when log_start_offset is not null then log_start_offset > log_end_offset
                when known_log_start_offset is not null and next_log_start_offset is not null then
                    least(known_log_start_offset, next_log_start_offset) > log_end_offset
            end""",
        because="a log starts before it ends",
        topic="Lag",
        source="Kafka documentation, Implementation: log",
        action="reject",
        remedy="Check that the files for log starts and log ends are of the same cluster and not exchanged",
    ),
    Rule(
        name="commit_is_not_behind_the_log_start",
        table=_TABLE,
        broken_when="committed_offset < coalesce(log_start_offset, known_log_start_offset)",
        because="the records at the committed offset are deleted, so auto.offset.reset decides where the group reads on",
        topic="Expired offsets and auto.offset.reset",
        source="Kafka documentation, Consumer configs: auto.offset.reset",
        action="warn",
        remedy="Increase the topic's retention or add consumers; choose auto.offset.reset so that the reset does the least harm",
    ),
    Rule(
        name="lag_is_not_negative",
        table=_TABLE,
        # Other reporters keep the log end that they read some time before, so that each idle group of theirs would be warned of.
        broken_when="case when reporter in ('get_offsets', 'describe', 'jmx_broker', 'collect') then lag < 0 end",
        because="a small negative lag is a race, since log end and committed offset are not read at one instant; a lasting one is an error",
        topic="Lag",
        source="Kafka documentation, Basic Operations: checking consumer position",
        action="warn",
        remedy="Ignore single ones; if it stays negative, look for a consumer that commits above the log end or a truncated log",
    ),
    Rule(
        name="log_end_moves_forward",
        table=_TABLE,
        broken_when="log_end_offset < previous_log_end_offset",
        because="records are only appended to a log; an end that falls means truncation or a recreated topic",
        topic="Lag",
        source="Kafka documentation, Implementation: log",
        action="warn",
        remedy="Find out whether the topic was recreated or an unclean leader was elected, and reset the positions of its groups",
    ),
    Rule(
        name="commit_names_the_next_record",
        table=_TABLE,
        broken_when="""
            case when lag is not null then lag = 1 and coalesce(sampled_at >= unchanged_since + interval 1 minute, false) end""",
        because="a committed offset names the next record to read; one that stays one below an unchanged log end is off by one",
        topic="Offsets and positions",
        source="KafkaConsumer Javadoc: offsets and consumer position",
        action="warn",
        remedy="Commit the offset of the last record plus 1",
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
        topic="Metrics stop in a rebalance",
        source="Kafka documentation, Monitoring: consumer group metrics",
        action="warn",
        remedy="Restart the reporter, or compare with kafka-consumer-groups --describe before you rely on it",
    ),
)
