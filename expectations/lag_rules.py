"""What must be true of silver.lag_samples."""

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
        because="lag is the log end minus the position; a reporter that says otherwise says something else",
        source="C1, C2 behind",
        action="reject",
    ),
    Rule(
        name="log_start_is_not_past_log_end",
        table=_TABLE,
        broken_when="log_start_offset > log_end_offset",
        because="a log begins before it ends",
        source="C3 position",
        action="reject",
    ),
    Rule(
        name="commit_is_not_behind_the_log_start",
        table=_TABLE,
        broken_when="committed_offset < coalesce(log_start_offset, known_log_start_offset)",
        because="old records expire: below the log start auto.offset.reset decides where reading goes on",
        source="C2 configuration",
        action="warn",
    ),
    Rule(
        name="lag_is_not_negative",
        table=_TABLE,
        broken_when="lag < 0",
        because="end and commit are not read at one instant, so a small negative lag is a race and a lasting one is not",
        source="C1, C2 behind",
        action="warn",
    ),
    Rule(
        name="log_end_moves_forward",
        table=_TABLE,
        broken_when="log_end_offset < previous_log_end_offset",
        because="a log grows; an end that falls means truncation or a topic made again",
        source="C3 position",
        action="warn",
    ),
    Rule(
        name="commit_names_the_next_record",
        table=_TABLE,
        broken_when="""
            case when lag is not null then lag = 1 and coalesce(sampled_at >= unchanged_since + interval 1 minute, false) end""",
        because="a position names the next record to read, so one that stays just below a log end that does not move is off by one",
        source="C1 commit",
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
        because="a reporter that repeats what it told before the generation changed has stopped telling",
        source="C4 frozen",
        action="warn",
    ),
)
