-- One row per session of a member.
select
    client_id,
    client_host,
    instance_id,
    joined_at,
    ended_at,
    ended_by,
    back_after_ms,
    generations,
    rebalances,
    paused_partition_ms,
    member_id
from gold.member_sessions
where cluster = :cluster and day = :day and group_id = :group_id
order by joined_at, client_id
