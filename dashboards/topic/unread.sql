-- One row per topic that no group has committed on.
with ends as (
    select topic, count(distinct partition_id) as partitions, max(log_end_offset) as log_end_offset
    from silver.log_offsets
    where cluster = :cluster and day = :day
    group by topic
)
select e.topic, e.partitions, e.log_end_offset
from ends as e
left anti join gold.lag as l on e.topic = l.topic and l.cluster = :cluster and l.day = :day
where not startswith(e.topic, '__') and e.log_end_offset > 0
order by e.topic
