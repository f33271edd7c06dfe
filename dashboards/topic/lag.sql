-- One row per sample and group: the ten groups that lagged most, the others summed.
with sampled as (
    select sampled_at, group_id, partition_id, max(true_lag) as true_lag
    from gold.lag
    where cluster = :cluster and day = :day and topic = :topic and true_lag is not null
    group by sampled_at, group_id, partition_id
),
ranked as (
    select group_id, row_number() over (order by max(true_lag) desc, group_id) as place
    from sampled
    group by group_id
),
named as (
    select s.sampled_at, if(r.place <= 10, s.group_id, 'others') as group, s.true_lag
    from sampled as s
    join ranked as r on s.group_id = r.group_id
)
select sampled_at, group, sum(true_lag) as true_lag
from named
group by sampled_at, group
order by sampled_at, group
