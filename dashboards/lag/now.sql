-- One row per partition that was behind at its last reading of the day.
with latest as (
    select *, row_number() over (
        partition by group_id, topic, partition_id order by sampled_at desc, true_lag is null, reporter
    ) as place
    from gold.lag
    where cluster = :cluster and day = :day
)
select group_id, topic, partition_id, sampled_at, true_lag, status, lag_ms, consumed_per_s, produced_per_s, drained_at
from latest
where place = 1 and true_lag > 0
order by true_lag desc, group_id, topic, partition_id
