-- One row per topic.
select topic, max(lag_max) as lag_max
from gold.lag_health
where cluster = :cluster and day = :day
group by topic
order by lag_max desc nulls last, topic
