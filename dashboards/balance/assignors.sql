-- One row per assignor.
with newest as (
    select group_id, incarnation, max(generation) as generation
    from gold.assignor_what_if
    where cluster = :cluster and day = :day
    group by group_id, incarnation
)
select
    w.assignor,
    count(*) as groups,
    count_if(w.is_actual) as groups_that_use_it,
    sum(w.spread) as spread,
    sum(w.idle_members) as idle_members,
    sum(w.partitions_moved) as partitions_moved
from gold.assignor_what_if as w
join newest as n on w.group_id = n.group_id and w.incarnation = n.incarnation and w.generation = n.generation
where w.cluster = :cluster and w.day = :day
group by w.assignor
order by spread, partitions_moved, w.assignor
