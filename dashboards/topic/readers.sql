-- One row per group that reads the topic.
select
    group_id,
    count(*) as partitions,
    sum(lag_max) as lag_max,
    max(lag_ms_max) as lag_ms_max,
    sum(records_lost) as records_lost,
    min(loss_margin) as loss_margin,
    min(overtaken_at) as overtaken_at
from gold.lag_health
where cluster = :cluster and day = :day and topic = :topic
group by group_id
order by lag_max desc, group_id
