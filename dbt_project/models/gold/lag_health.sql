-- one row per partition of which a reporter contains a position of a group, and day
{%- set statuses = ["ok", "rewind", "stall", "stop", "warn"] %}
with

samples as (
    select
        * except (committed_offset, log_start_offset, stands_ms),
        -- After an hour without a sample the status is unknown.
        coalesce(if(stands_ms > 3600000, 3600000, stands_ms), 0) as status_ms,
        if(
            log_end_offset > log_start_offset and committed_offset is not null,
            (least(greatest(committed_offset, log_start_offset), log_end_offset) - log_start_offset)
            / (log_end_offset - log_start_offset),
            null
        ) as loss_margin,
        -- The two offsets are compared only in samples that contain both.
        if(log_start_offset is null, null, committed_offset) as committed_offset,
        if(committed_offset is null, null, log_start_offset) as log_start_offset,
        if(committed_offset is null or log_start_offset is null, null, sampled_at) as compared_at
    from {{ ref("lag") }}
    where {{ is_selected_day() }}
),

partitions as (
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
        max_by(phantom_lag, sampled_at) as phantom_lag,
        max(if(phantom_lag is null, null, sampled_at)) as phantom_at,
        {%- for status in statuses %}
            sum(if(status = '{{ status }}', status_ms, null)) as {{ status }}_ms,
        {%- endfor %}
        -- Aggregates of plain numbers, because Spark does not have to sort for them.
        min(compared_at) as first_at,
        max(compared_at) as last_at,
        min_by(committed_offset, compared_at) as first_committed_offset,
        max_by(committed_offset, compared_at) as last_committed_offset,
        min_by(log_start_offset, compared_at) as first_log_start_offset,
        max_by(log_start_offset, compared_at) as last_log_start_offset
    from samples
    group by all
),

-- Where reading started again, the records before the start are lost; where it has not, those below the log start.
skips as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sum(skipped) as skipped,
        max(started_at) as last_started_at
    from {{ ref("read_starts") }}
    where {{ is_selected_day() }}
    group by all
),

joined as (
    select
        partitions.*,
        skips.skipped,
        skips.last_started_at
    from partitions
    left join skips using (cluster, day, group_id, topic, partition_id)
),

movements as (
    select
        *,
        if(
            skipped is null and phantom_lag is null, null,
            coalesce(skipped, 0)
            + if(skipped > 0 and phantom_at <= last_started_at, 0, coalesce(phantom_lag, 0))
        ) as records_lost,
        unix_millis(last_at) - unix_millis(first_at) as watched_ms,
        last_log_start_offset - first_log_start_offset as deleted,
        last_committed_offset - first_committed_offset as advanced,
        last_committed_offset - last_log_start_offset as distance
    from joined
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
            ), entry -> entry.minutes is not null
        )
    ) as minutes_by_status,
    loss_margin,
    records_lost,
    -- No forecast for more than a thousand times the watched time.
    if(
        watched_ms > 0 and distance >= 0 and deleted > 0 and deleted > advanced and distance / (deleted - advanced) <= 1000,
        timestamp_millis(unix_millis(last_at) + cast(watched_ms * (distance / (deleted - advanced)) as bigint)),
        null
    ) as overtaken_at
from movements
