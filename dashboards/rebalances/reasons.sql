-- One row per reason.
select
    reason,
    count(*) as rebalances,
    count(distinct group_id) as groups,
    sum(paused_partition_ms) as paused_partition_ms,
    percentile(duration_ms, 0.5) as duration_ms_p50,
    max(duration_ms) as duration_ms_max,
    sum(partitions_moved) as partitions_moved,
    count_if(in_storm) as in_storms
from gold.rebalances
where cluster = :cluster and day between :since and :day
group by reason
order by rebalances desc, reason
