-- one row per partition that a group has a position on, committed to or tried to commit to, and day
with

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(*) as commits,
        count(if(kind in ('advance', 'repeat'), gap_ms, null)) as gaps,
        count_if(kind = 'repeat') as repeats,
        percentile(if(kind in ('advance', 'repeat'), gap_ms, null), array(0.1, 0.25, 0.5, 0.9, 0.95)) as gap_ms_at,
        max(if(kind in ('advance', 'repeat'), gap_ms, null)) as gap_ms_max,
        percentile(if(kind = 'advance', advanced, null), array(0.5, 0.99)) as replay_window_at,
        max(if(kind = 'advance', advanced, null)) as replay_window_max,
        count_if(kind = 'regression') as regressions,
        sum(if(kind = 'regression', redelivered, 0)) as redelivered,
        -- A commit that no log holds does not tell whether a transaction made it.
        bool_and(if(record_offset is null, null, transactional)) as transactional,
        bool_and(complete) as complete
    from {{ ref("commit_gaps") }}
    where {{ is_selected_day() }}
    group by all
),

positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset
    from {{ source("silver", "positions") }}
    where
        {{ is_selected_day() }}
        and committed_offset is not null
),

-- Few clients ask for an expiry: it counts where the commit that did so is the one that stands.
asked as (
    select
        positions.cluster,
        positions.day,
        positions.group_id,
        positions.topic,
        positions.partition_id,
        max(commits.expires_at) as expires_at
    from {{ ref("commit_gaps") }} as commits
    inner join positions
        on
            commits.cluster = positions.cluster
            and commits.day = positions.day
            and commits.group_id = positions.group_id
            and commits.topic = positions.topic
            and commits.partition_id = positions.partition_id
            and commits.record_offset <=> positions.record_offset
            and commits.committed_at <=> positions.committed_at
    where
        {{ is_selected_day("commits.day") }}
        and commits.expires_at is not null
    group by all
),

rejected as (
    select
        cluster,
        day,
        get_json_object(row_json, '$.group_id') as group_id,
        get_json_object(row_json, '$.topic') as topic,
        cast(get_json_object(row_json, '$.partition_id') as int) as partition_id
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
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
        struct(
            commits, gaps, repeats, gap_ms_at, gap_ms_max, replay_window_at, replay_window_max, regressions, redelivered,
            transactional, complete
        ) as commits,
        null as position,
        null as expires_at,
        false as rejected
    from commits
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as commits,
        struct(committed_offset, committed_at) as position,
        null as expires_at,
        false as rejected
    from positions
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as commits,
        null as position,
        expires_at,
        false as rejected
    from asked
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as commits,
        null as position,
        null as expires_at,
        true as rejected
    from rejected
    where
        group_id is not null
        and topic is not null
        and partition_id is not null
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        first(commits, true) as told,
        max(position) as position,
        max(expires_at) as asked_expires_at,
        count_if(rejected) as commits_rejected
    from told
    group by all
),

-- How the consumers that started on the day said they commit; of a group's others nobody knows.
printed as (
    select
        cluster,
        day,
        group_id,
        bool_or(lower(settings['enable.auto.commit']) = 'true') as any_by_itself,
        if(
            bool_and(lower(settings['enable.auto.commit']) = 'true'),
            min(try_cast(settings['auto.commit.interval.ms'] as bigint)), null
        ) as auto_commit_ms
    from {{ source("silver", "client_configs") }}
    where
        {{ is_selected_day() }}
        and group_id is not null
        and settings['enable.auto.commit'] is not null
    group by all
),

with_percentiles as (
    select /*+ broadcast(printed) */
        by_partition.cluster,
        by_partition.day,
        by_partition.group_id,
        by_partition.topic,
        by_partition.partition_id,
        coalesce(told.commits, 0) as commits,
        told.gaps,
        told.repeats,
        told.gap_ms_at[0] as gap_ms_p10,
        told.gap_ms_at[1] as gap_ms_p25,
        round(told.gap_ms_at[2], 3) as gap_ms_p50,
        told.gap_ms_at[3] as gap_ms_p90,
        round(told.gap_ms_at[4], 3) as gap_ms_p95,
        told.gap_ms_max,
        round(told.replay_window_at[0], 3) as replay_window_p50,
        round(told.replay_window_at[1], 3) as replay_window_p99,
        told.replay_window_max,
        coalesce(told.regressions, 0) as regressions,
        coalesce(told.redelivered, 0) as redelivered,
        told.transactional,
        told.complete,
        by_partition.asked_expires_at,
        by_partition.position,
        by_partition.commits_rejected,
        printed.any_by_itself,
        printed.auto_commit_ms
    from by_partition
    left join printed
        on
            by_partition.cluster = printed.cluster
            and by_partition.day = printed.day
            and by_partition.group_id = printed.group_id
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
        auto_commit_ms,
        case
            when commits = 0 then 'none'
            when transactional then 'transactional'
            when gaps < 5 then 'irregular'
            when auto_commit_ms is not null and gap_ms_p50 >= 0.8 * auto_commit_ms then 'auto'
            when
                coalesce(any_by_itself, true)
                and gap_ms_p10 >= 0.8 * gap_ms_p50
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
    if(commit_style = 'auto', coalesce(auto_commit_ms, cast(round(gap_ms_p25, -2) as bigint)), null) as expected_interval_ms,
    position.committed_offset as last_committed_offset,
    position.committed_at as last_committed_at,
    if(
        position is null,
        null,
        coalesce(asked_expires_at, position.committed_at + make_dt_interval(0, 0, {{ offsets_retention_minutes("cluster") }}))
    ) as expires_at,
    commits_rejected,
    complete
from in_styles
