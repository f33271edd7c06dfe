-- One row per rebalance: the hundred that paused most.
select
    group_id,
    started_at,
    generation,
    reason,
    duration_ms,
    paused_partition_ms,
    members_before,
    members_after,
    partitions_moved,
    first_commit_after_ms,
    trigger_client_id
from gold.rebalances
where cluster = :cluster and day between :since and :day
order by paused_partition_ms desc nulls last, duration_ms desc nulls last, group_id, generation
limit 100
