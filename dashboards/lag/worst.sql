-- One row per partition and day.
select group_id, topic, partition_id, day, lag_max, lag_ms_max, loss_margin, overtaken_at, records_lost, samples, samples_frozen
from gold.lag_health
where cluster = :cluster and day between :since and :day and (lag_max > 0 or records_lost > 0 or overtaken_at is not null)
order by lag_max desc nulls last, group_id, topic, partition_id, day
