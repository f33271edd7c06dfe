-- One row per group.
select
    group_id,
    score,
    findings,
    group_type,
    state,
    members,
    topics,
    partitions,
    rebalances,
    paused_partition_ms,
    redelivered,
    replay_window_p99,
    spread,
    lag_max
from gold.group_health
where cluster = :cluster and day = :day
order by score, group_id
