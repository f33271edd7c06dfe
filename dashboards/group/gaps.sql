-- One row per partition with commits.
select
    topic,
    partition_id,
    commits,
    commit_style,
    gap_ms_p50,
    gap_ms_p95,
    gap_ms_max,
    replay_window_p50,
    replay_window_p99,
    replay_window_max,
    regressions,
    redelivered,
    last_committed_offset,
    last_committed_at,
    expires_at
from gold.commit_health
where cluster = :cluster and day = :day and group_id = :group_id
order by replay_window_p99 desc, topic, partition_id
