-- one row per partition to which a group committed, and day: its gaps, its replay windows and how it commits
with

-- Positions to which a client logged that a reset or a seek moved it.
moved_positions as (
    select
        cluster,
        group_id,
        details['topic_partition'] as topic_partition,
        happened_at as at,
        try_cast(details['offset'] as bigint) as position
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and event in ('offset_reset', 'sought')
        and try_cast(details['offset'] as bigint) > 0
),

-- Advances over records that nobody read, because a reset or a seek jumped over them.
jumps as (
    select /*+ broadcast(moved_positions) */
        gaps.cluster,
        gaps.day,
        gaps.group_id,
        gaps.topic,
        gaps.partition_id,
        gaps.committed_at,
        gaps.record_offset,
        max(moved_positions.position) as jumped_to
    from {{ ref("commit_gaps") }} as gaps
    inner join moved_positions
        on
            gaps.cluster = moved_positions.cluster
            and gaps.group_id = moved_positions.group_id
            and {{ topic_partition("gaps") }} = moved_positions.topic_partition
            and gaps.previous_offset < moved_positions.position
            and gaps.committed_offset >= moved_positions.position
            and moved_positions.at between gaps.previous_committed_at - interval 1 second
            and gaps.committed_at + interval 1 second
    where
        {{ is_selected_day("gaps.day") }}
        and gaps.kind = 'advance'
    group by all
),

gaps as (
    select /*+ broadcast(jumps) */
        gaps.*,
        case
            -- An administrator's reset: nobody reads in an empty group.
            when gaps.kind != 'advance' or gaps.while_empty then null
            when jumps.jumped_to is not null then gaps.committed_offset - jumps.jumped_to
            else gaps.advanced
        end as replay_window
    from {{ ref("commit_gaps") }} as gaps
    left join jumps
        on
            gaps.cluster = jumps.cluster
            and gaps.day = jumps.day
            and gaps.group_id = jumps.group_id
            and gaps.topic = jumps.topic
            and gaps.partition_id = jumps.partition_id
            and gaps.committed_at <=> jumps.committed_at
            and gaps.record_offset <=> jumps.record_offset
    where {{ is_selected_day("gaps.day") }}
),

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
        percentile(if(kind in ('advance', 'repeat'), gap_ms, null), array(0.1, 0.25, 0.5, 0.9, 0.95)) as gap_ms_percentiles,
        max(if(kind in ('advance', 'repeat'), gap_ms, null)) as gap_ms_max,
        percentile(replay_window, array(0.5, 0.99)) as replay_window_percentiles,
        max(replay_window) as replay_window_max,
        count_if(kind = 'regression') as regressions,
        if(bool_or(kind = 'regression' and redelivered is null), null, sum(redelivered)) as redelivered,
        -- Whether a commit without a place in the log was part of a transaction is unknown.
        bool_and(if(record_offset is null, null, transactional)) as transactional,
        bool_and(complete) as complete
    from gaps
    group by all
),

-- How the consumers that started on the day commit; consumers that started earlier did not log it that day.
consumer_settings as (
    select
        cluster,
        day,
        group_id,
        bool_or(lower(settings['enable.auto.commit']) = 'true') as any_auto_commit,
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

joined as (
    select /*+ broadcast(consumer_settings) */
        commits.*,
        commits.gap_ms_percentiles[0] as gap_ms_p10,
        commits.gap_ms_percentiles[1] as gap_ms_p25,
        round(commits.gap_ms_percentiles[2], 3) as gap_ms_p50,
        commits.gap_ms_percentiles[3] as gap_ms_p90,
        round(commits.gap_ms_percentiles[4], 3) as gap_ms_p95,
        consumer_settings.any_auto_commit,
        consumer_settings.auto_commit_ms
    from commits
    left join consumer_settings using (cluster, day, group_id)
),

commit_styles as (
    select
        *,
        case
            when transactional then 'transactional'
            when gaps < 5 then 'irregular'
            when auto_commit_ms is not null and gap_ms_p50 >= 0.8 * auto_commit_ms then 'auto'
            when
                coalesce(any_auto_commit, true)
                and gap_ms_p10 >= 0.8 * gap_ms_p50
                and gap_ms_p90 <= 2 * gap_ms_p50
                and (repeats >= 0.1 * gaps or gap_ms_p25 between 4750 and 5500)
                then 'auto'
            when repeats < 0.1 * gaps then 'per_batch'
            else 'irregular'
        end as commit_style
    from joined
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
    round(replay_window_percentiles[0], 3) as replay_window_p50,
    round(replay_window_percentiles[1], 3) as replay_window_p99,
    replay_window_max,
    regressions,
    redelivered,
    commit_style,
    if(commit_style = 'auto', coalesce(auto_commit_ms, cast(round(gap_ms_p25, -2) as bigint)), null) as expected_interval_ms,
    complete
from commit_styles
