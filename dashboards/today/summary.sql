-- One row: the numbers of the day, and of the day before.
select
    count_if(day = :day) as groups,
    nullif(count_if(day = date_sub(:day, 1)), 0) as groups_before,
    sum(if(day = :day, findings, null)) as findings,
    sum(if(day = date_sub(:day, 1), findings, null)) as findings_before,
    sum(if(day = :day, rebalances, null)) as rebalances,
    sum(if(day = date_sub(:day, 1), rebalances, null)) as rebalances_before,
    sum(if(day = :day, paused_partition_ms, null)) as paused_partition_ms,
    sum(if(day = date_sub(:day, 1), paused_partition_ms, null)) as paused_partition_ms_before,
    sum(if(day = :day, redelivered, null)) as redelivered,
    sum(if(day = date_sub(:day, 1), redelivered, null)) as redelivered_before,
    max(if(day = :day, lag_max, null)) as lag_max,
    max(if(day = date_sub(:day, 1), lag_max, null)) as lag_max_before
from gold.group_health
where cluster = :cluster and day between date_sub(:day, 1) and :day
having count_if(day = :day) > 0
