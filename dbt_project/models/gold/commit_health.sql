-- one row per partition that a group has a position on, or committed to, and day
with

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        gap_ms,
        advanced,
        kind,
        cause,
        redelivered,
        transactional,
        expires_at,
        complete,
        kind in ('advance', 'repeat') as goes_on
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
        committed_offset,
        committed_at
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
        count(*) as commits_rejected
    from {{ source("quality", "rejected_rows") }}
    where
        {{ of_the_days() }}
        and table_name = 'silver.offset_commits'
        and replayed_at is null
    group by all
),

measured as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(*) as commits,
        count_if(kind = 'advance') as advances,
        count_if(kind = 'repeat') as repeats,
        percentile(if(goes_on, gap_ms, null), 0.1) as gap_ms_p10,
        percentile(if(goes_on, gap_ms, null), 0.25) as gap_ms_p25,
        percentile(if(goes_on, gap_ms, null), 0.5) as gap_ms_p50,
        percentile(if(goes_on, gap_ms, null), 0.9) as gap_ms_p90,
        percentile(if(goes_on, gap_ms, null), 0.95) as gap_ms_p95,
        max(if(goes_on, gap_ms, null)) as gap_ms_max,
        percentile(if(kind = 'advance', advanced, null), 0.5) as replay_window_p50,
        percentile(if(kind = 'advance', advanced, null), 0.99) as replay_window_p99,
        max(if(kind = 'advance', advanced, null)) as replay_window_max,
        count_if(kind = 'regression') as regressions,
        sum(if(kind = 'regression', redelivered, 0)) as redelivered,
        bool_and(transactional) as transactional,
        bool_and(complete) as complete,
        max_by(expires_at, struct(record_offset, committed_at)) as asked_expires_at
    from commits
    group by all
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
        case
            when transactional then 'transactional'
            when advances + repeats < 5 then 'irregular'
            when
                gap_ms_p10 >= 0.8 * gap_ms_p50
                and gap_ms_p90 <= 2 * gap_ms_p50
                and (repeats >= 0.1 * (advances + repeats) or gap_ms_p25 between 4750 and 5500)
                then 'auto'
            when repeats < 0.1 * (advances + repeats) then 'per_batch'
            else 'irregular'
        end as commit_style
    from measured
),

whole as (
    select
        coalesce(in_styles.cluster, positions.cluster) as cluster,
        coalesce(in_styles.day, positions.day) as day,
        coalesce(in_styles.group_id, positions.group_id) as group_id,
        coalesce(in_styles.topic, positions.topic) as topic,
        coalesce(in_styles.partition_id, positions.partition_id) as partition_id,
        coalesce(in_styles.commits, 0) as commits,
        in_styles.gap_ms_p25,
        in_styles.gap_ms_p50,
        in_styles.gap_ms_p95,
        in_styles.gap_ms_max,
        in_styles.replay_window_p50,
        in_styles.replay_window_p99,
        in_styles.replay_window_max,
        coalesce(in_styles.regressions, 0) as regressions,
        coalesce(in_styles.redelivered, 0) as redelivered,
        in_styles.complete,
        in_styles.asked_expires_at,
        coalesce(in_styles.commit_style, 'none') as commit_style,
        positions.committed_offset,
        positions.committed_at
    from in_styles
    full outer join positions
        on
            in_styles.cluster = positions.cluster
            and in_styles.day = positions.day
            and in_styles.group_id = positions.group_id
            and in_styles.topic = positions.topic
            and in_styles.partition_id = positions.partition_id
)

select
    whole.cluster,
    whole.day,
    whole.group_id,
    whole.topic,
    whole.partition_id,
    whole.commits,
    whole.gap_ms_p50,
    whole.gap_ms_p95,
    whole.gap_ms_max,
    whole.replay_window_p50,
    whole.replay_window_p99,
    whole.replay_window_max,
    whole.regressions,
    whole.redelivered,
    whole.commit_style,
    if(whole.commit_style = 'auto', cast(round(whole.gap_ms_p25, -2) as bigint), null) as expected_interval_ms,
    whole.committed_offset as last_committed_offset,
    whole.committed_at as last_committed_at,
    coalesce(
        whole.asked_expires_at, whole.committed_at + make_dt_interval(0, 0, {{ retention_minutes("whole.cluster") }})
    ) as expires_at,
    coalesce(rejected.commits_rejected, 0) as commits_rejected,
    whole.complete
from whole
left join rejected
    on
        whole.cluster = rejected.cluster
        and whole.day = rejected.day
        and whole.group_id = rejected.group_id
        and whole.topic = rejected.topic
        and whole.partition_id = rejected.partition_id
