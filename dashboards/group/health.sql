-- One row: the group at the end of the day.
select
    score,
    findings,
    members,
    topics,
    partitions,
    rebalances,
    paused_partition_ms,
    redelivered,
    lag_max,
    group_type,
    state
from gold.group_health
where cluster = :cluster and day = :day and group_id = :group_id
