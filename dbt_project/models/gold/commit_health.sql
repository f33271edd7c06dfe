-- one row per partition that a group has a position on, committed to or tried to commit to, and day
with

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        struct(
            committed_at, record_offset, kind, cause, redelivered, transactional, expires_at, complete,
            if(kind in ('advance', 'repeat'), gap_ms, null) as gap_ms,
            if(kind = 'advance', advanced, null) as replay_window
        ) as effective,
        cast(null as struct<committed_offset: bigint, committed_at: timestamp>) as position,
        false as rejected
    from {{ ref("commit_gaps") }}
    where {{ of_the_days() }}
),

positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as effective,
        struct(committed_offset, committed_at) as position,
        false as rejected
    from {{ source("silver", "positions") }}
    where
        {{ of_the_days() }}
        and committed_offset is not null
),

rejected as (
    select
        cluster,
        day,
        get_json_object(row_json, '$.group_id') as group_id,
        get_json_object(row_json, '$.topic') as topic,
        cast(get_json_object(row_json, '$.partition_id') as int) as partition_id,
        null as effective,
        null as position,
        true as rejected
    from {{ source("quality", "rejected_rows") }}
    where
        {{ of_the_days() }}
        and table_name = 'silver.offset_commits'
        and replayed_at is null
),

told as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        effective,
        position,
        rejected
    from commits
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        effective,
        position,
        rejected
    from positions
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        effective,
        position,
        rejected
    from rejected
    where
        group_id is not null
        and topic is not null
        and partition_id is not null
),

measured as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(effective) as commits,
        count(effective.gap_ms) as gaps,
        count_if(effective.kind = 'repeat') as repeats,
        percentile(effective.gap_ms, array(0.1, 0.25, 0.5, 0.9, 0.95)) as gap_ms_at,
        max(effective.gap_ms) as gap_ms_max,
        percentile(effective.replay_window, array(0.5, 0.99)) as replay_window_at,
        max(effective.replay_window) as replay_window_max,
        count_if(effective.kind = 'regression') as regressions,
        coalesce(sum(if(effective.kind = 'regression', effective.redelivered, 0)), 0) as redelivered,
        bool_and(effective.transactional) as transactional,
        bool_and(effective.complete) as complete,
        max_by(effective.expires_at, struct(effective.record_offset, effective.committed_at)) as asked_expires_at,
        max(position) as position,
        count_if(rejected) as commits_rejected
    from told
    group by all
),

with_percentiles as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        commits,
        gaps,
        repeats,
        gap_ms_at[0] as gap_ms_p10,
        gap_ms_at[1] as gap_ms_p25,
        round(gap_ms_at[2], 3) as gap_ms_p50,
        gap_ms_at[3] as gap_ms_p90,
        round(gap_ms_at[4], 3) as gap_ms_p95,
        gap_ms_max,
        round(replay_window_at[0], 3) as replay_window_p50,
        round(replay_window_at[1], 3) as replay_window_p99,
        replay_window_max,
        regressions,
        redelivered,
        transactional,
        complete,
        asked_expires_at,
        position,
        commits_rejected
    from measured
),

in_styles as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        commits,
        gap_ms_p25,
        gap_ms_p50,
        gap_ms_p95,
        gap_ms_max,
        replay_window_p50,
        replay_window_p99,
        replay_window_max,
        regressions,
        redelivered,
        complete,
        asked_expires_at,
        position,
        commits_rejected,
        case
            when commits = 0 then 'none'
            when transactional then 'transactional'
            when gaps < 5 then 'irregular'
            when
                gap_ms_p10 >= 0.8 * gap_ms_p50
                and gap_ms_p90 <= 2 * gap_ms_p50
                and (repeats >= 0.1 * gaps or gap_ms_p25 between 4750 and 5500)
                then 'auto'
            when repeats < 0.1 * gaps then 'per_batch'
            else 'irregular'
        end as commit_style
    from with_percentiles
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    commits,
    gap_ms_p50,
    gap_ms_p95,
    gap_ms_max,
    replay_window_p50,
    replay_window_p99,
    replay_window_max,
    regressions,
    redelivered,
    commit_style,
    if(commit_style = 'auto', cast(round(gap_ms_p25, -2) as bigint), null) as expected_interval_ms,
    position.committed_offset as last_committed_offset,
    position.committed_at as last_committed_at,
    if(
        position is null,
        null,
        coalesce(asked_expires_at, position.committed_at + make_dt_interval(0, 0, {{ retention_minutes("cluster") }}))
    ) as expires_at,
    commits_rejected,
    complete
from in_styles
