-- One row per assignor for the last generation of the day.
with latest as (
    select incarnation, generation
    from gold.assignor_what_if
    where cluster = :cluster and day = :day and group_id = :group_id
    order by incarnation desc, generation desc
    limit 1
)
select w.assignor, w.is_actual, w.spread, w.idle_members, w.partitions_moved, w.rate_cv
from gold.assignor_what_if as w
join latest as l on w.incarnation = l.incarnation and w.generation = l.generation
where w.cluster = :cluster and w.day = :day and w.group_id = :group_id
order by w.is_actual desc, w.spread, w.partitions_moved, w.assignor
