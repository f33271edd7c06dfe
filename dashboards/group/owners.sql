-- One row per partition of the last generation of the day.
with latest as (
    select incarnation, generation
    from gold.assignments
    where cluster = :cluster and day = :day and group_id = :group_id
    order by incarnation desc, generation desc
    limit 1
)
select a.topic, a.partition_id, a.client_id, a.client_host, a.instance_id, a.moved_from_client_id, a.generation
from gold.assignments as a
join latest as l on a.incarnation = l.incarnation and a.generation = l.generation
where a.cluster = :cluster and a.day = :day and a.group_id = :group_id
order by a.topic, a.partition_id
