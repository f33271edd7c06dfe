-- One row per partition: its newest sample that a reporter gave.
with newest as (
    select
        *,
        row_number() over (partition by topic, partition_id order by sampled_at desc, reporter) as turn
    from gold.lag
    where cluster = :cluster and day = :day and group_id = :group_id
)
select
    topic,
    partition_id,
    status,
    true_lag,
    ghost_lag,
    phantom_lag,
    lag_ms,
    committed_offset,
    log_end_offset,
    sampled_at,
    reporter
from newest
where turn = 1
order by true_lag desc, topic, partition_id
