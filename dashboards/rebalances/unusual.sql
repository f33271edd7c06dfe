-- One row per group and day with rebalances.
select
    group_id,
    day,
    rebalances,
    usual_rebalances,
    times_usual,
    storms,
    busiest_hour_rebalances,
    total_duration_ms,
    paused_partition_ms,
    unobserved
from gold.rebalance_frequency
where cluster = :cluster and day between :since and :day and rebalances > 0
order by storms desc, times_usual desc nulls last, rebalances desc, group_id, day
