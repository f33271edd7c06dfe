-- One row per group with members that came back within their session timeout.
select
    group_id,
    client_id,
    count(*) as restarts,
    max(back_after_ms) as back_after_ms_max,
    min(session_timeout_ms) as session_timeout_ms,
    sum(rebalances) as rebalances,
    sum(paused_partition_ms) as paused_partition_ms
from gold.member_sessions
where cluster = :cluster and day = :day and back_after_ms <= session_timeout_ms
group by group_id, client_id
order by restarts desc, group_id, client_id
