-- One row per sample and partition: the ten partitions that lagged most, the others summed.
with sampled as (
    select sampled_at, topic, partition_id, max(true_lag) as true_lag
    from gold.lag
    where cluster = :cluster and day = :day and group_id = :group_id and true_lag is not null
    group by sampled_at, topic, partition_id
),
ranked as (
    select topic, partition_id, row_number() over (order by max(true_lag) desc, topic, partition_id) as place
    from sampled
    group by topic, partition_id
),
named as (
    select s.sampled_at, if(r.place <= 10, concat(s.topic, '-', s.partition_id), 'others') as partition, s.true_lag
    from sampled as s
    join ranked as r on s.topic = r.topic and s.partition_id = r.partition_id
)
select sampled_at, partition, sum(true_lag) as true_lag
from named
group by sampled_at, partition
order by sampled_at, partition
