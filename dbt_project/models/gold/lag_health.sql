-- one row per partition that a reporter told a position of, and day
with

samples as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        true_lag,
        phantom_lag,
        lag_ms,
        status,
        -- after an hour without a sample nobody knows
        if(stands_ms > 3600000, 3600000, stands_ms) as stands_ms,
        if(
            log_end_offset > log_start_offset and committed_offset is not null,
            (least(greatest(committed_offset, log_start_offset), log_end_offset) - log_start_offset)
            / (log_end_offset - log_start_offset),
            null
        ) as loss_margin
    from {{ ref("lag") }}
    where {{ of_the_days() }}
),

by_status as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        status,
        count(*) as samples,
        coalesce(sum(stands_ms), 0) as stands_ms,
        max(true_lag) as lag_max,
        max(lag_ms) as lag_ms_max,
        min(loss_margin) as loss_margin,
        max(phantom_lag) as records_lost
    from samples
    group by all
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    sum(samples) as samples,
    max(lag_max) as lag_max,
    max(lag_ms_max) as lag_ms_max,
    map_from_entries(
        array_sort(collect_list(if(status is null, null, struct(status, round(stands_ms / 60000, 3) as minutes))))
    ) as minutes_by_status,
    min(loss_margin) as loss_margin,
    max(records_lost) as records_lost
from by_status
group by all
