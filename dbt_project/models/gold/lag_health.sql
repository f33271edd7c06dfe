-- one row per partition that a reporter told a position of, and day
{%- set statuses = ["ok", "rewind", "stall", "stop", "warn"] %}
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
        frozen,
        -- after an hour without a sample nobody knows
        coalesce(if(stands_ms > 3600000, 3600000, stands_ms), 0) as stands_ms,
        if(
            log_end_offset > log_start_offset and committed_offset is not null,
            (least(greatest(committed_offset, log_start_offset), log_end_offset) - log_start_offset)
            / (log_end_offset - log_start_offset),
            null
        ) as loss_margin,
        if(log_start_offset is null, null, committed_offset) as committed_offset,
        if(committed_offset is null, null, log_start_offset) as log_start_offset,
        if(committed_offset is null or log_start_offset is null, null, sampled_at) as both_told_at
    from {{ ref("lag") }}
    where {{ is_selected_day() }}
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(*) as samples,
        count(frozen) as samples_frozen,
        max(true_lag) as lag_max,
        max(lag_ms) as lag_ms_max,
        min(loss_margin) as loss_margin,
        max(phantom_lag) as records_lost,
        {%- for status in statuses %}
            sum(if(status = '{{ status }}', stands_ms, null)) as {{ status }}_ms,
        {%- endfor %}
        -- aggregates of plain numbers, for which nothing has to be sorted
        min(both_told_at) as first_at,
        max(both_told_at) as last_at,
        min_by(committed_offset, both_told_at) as first_committed_offset,
        max_by(committed_offset, both_told_at) as last_committed_offset,
        min_by(log_start_offset, both_told_at) as first_log_start_offset,
        max_by(log_start_offset, both_told_at) as last_log_start_offset
    from samples
    group by all
),

-- how the two moved, and how far they are apart
movements as (
    select
        *,
        unix_millis(last_at) - unix_millis(first_at) as watched_ms,
        last_log_start_offset - first_log_start_offset as deleted,
        last_committed_offset - first_committed_offset as advanced,
        last_committed_offset - last_log_start_offset as apart
    from by_partition
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    samples,
    samples_frozen,
    lag_max,
    lag_ms_max,
    map_from_entries(
        filter(
            array(
                {%- for status in statuses %}
                    struct('{{ status }}' as status, round({{ status }}_ms / 60000, 3) as minutes){{ "," if not loop.last }}
                {%- endfor %}
            ), told -> told.minutes is not null
        )
    ) as minutes_by_status,
    loss_margin,
    records_lost,
    -- farther away than it was watched a thousand times over is no forecast
    if(
        watched_ms > 0 and apart >= 0 and deleted > 0 and deleted > advanced and apart / (deleted - advanced) <= 1000,
        timestamp_millis(unix_millis(last_at) + cast(watched_ms * (apart / (deleted - advanced)) as bigint)),
        null
    ) as overtaken_at
from movements
