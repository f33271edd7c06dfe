-- One row per group, and how the reader before ended.
select
    group_id,
    ended_by,
    count(*) as starts,
    sum(unread_ms) as unread_ms,
    max(unread_ms) as unread_ms_max,
    sum(reprocessed_at_least) as reprocessed_at_least,
    if(count(reprocessed_at_most) = count(*), sum(reprocessed_at_most), null) as reprocessed_at_most,
    sum(skipped) as skipped
from gold.read_starts
where cluster = :cluster and day between :since and :day and cause != 'first'
group by group_id, ended_by
order by reprocessed_at_most desc nulls last, unread_ms desc nulls last, group_id, ended_by
