-- One row per partition and day that lost records.
select group_id, topic, partition_id, day, records_lost, loss_margin, overtaken_at
from gold.lag_health
where cluster = :cluster and day between :since and :day and records_lost > 0
order by records_lost desc, group_id, topic, partition_id, day
