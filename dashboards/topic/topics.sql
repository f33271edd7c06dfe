-- One row per topic.
select
    topic,
    count(distinct group_id) as groups,
    count(distinct partition_id) as partitions,
    max(lag_max) as lag_max,
    max(lag_ms_max) as lag_ms_max,
    sum(records_lost) as records_lost
from gold.lag_health
where cluster = :cluster and day = :day
group by topic
order by lag_max desc, topic
