-- One row per rebalance.
select
    started_at,
    generation,
    reason,
    duration_ms,
    members_before,
    members_after,
    members_joined,
    members_left,
    members_evicted,
    partitions_moved,
    partitions_moved_minimum,
    paused_partition_ms,
    first_commit_after_ms,
    in_storm,
    trigger_client_id,
    reason_text,
    evidence
from gold.rebalances
where cluster = :cluster and day = :day and group_id = :group_id
order by started_at, generation
