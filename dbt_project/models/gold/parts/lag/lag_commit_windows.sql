-- one row per position of a group, by a commit or by its deletion, and day with samples that sees it: its own day and the
-- day after
with

sampled_days as (
    select * from {{ ref("lag_sampled") }}
),

commits as (
    select
        * except (day),
        seen_on as day,
        coalesce(committed_at, recorded_at) as at
    from {{ source("silver", "offset_commits") }}
        lateral view explode(array(day, date_add(day, 1))) as seen_on
    where
        {{ is_selected_or_previous_day() }}
        and {{ is_selected_day("seen_on") }}
        and {{ is_effective_commit() }}
),

sampled_commits as (
    select commits.*
    from commits
    left semi join sampled_days using (cluster, day)
),

older_positions as (
    select positions.*
    from {{ source("silver", "positions") }} as positions
    left semi join sampled_days using (cluster, day)
    where
        {{ is_selected_day("positions.day") }}
        and positions.committed_offset is not null
        and positions.committed_at < date_sub(positions.day, 1)
),

-- Before the commits of both days one older commit: the one before the first of them, or the current position.
positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        at,
        record_offset,
        committed_offset
    from sampled_commits
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        previous_committed_at as at,
        previous_record_offset as record_offset,
        previous_committed_offset as committed_offset
    from sampled_commits
    where previous_committed_at < date_sub(day, 1)
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at as at,
        record_offset,
        committed_offset
    from older_positions
),

timeline as (
    select
        cluster,
        day,
        topic,
        partition_id,
        sampled_at as at,
        null as position,
        struct(sampled_at, log_end_offset) as log_end
    from {{ ref("lag_log_ends") }}
    where log_end_offset is not null
    union all
    select
        cluster,
        day,
        topic,
        partition_id,
        at,
        struct(group_id, record_offset, committed_offset) as position,
        null as log_end
    from positions
),

last_log_ends as (
    select
        cluster,
        day,
        topic,
        partition_id,
        at,
        position,
        last(log_end, true) over (
            partition by cluster, day, topic, partition_id
            order by at, position is not null
            rows between unbounded preceding and current row
        ) as log_end
    from timeline
),

-- The positions before a deletion are no part of the window after it.
lags as (
    select
        *,
        position.group_id,
        position.record_offset,
        position.committed_offset,
        if(
            log_end.sampled_at >= at - interval 1 hour,
            greatest(log_end.log_end_offset - position.committed_offset, 0),
            null
        ) as lag,
        count_if(position.committed_offset is null) over (
            partition by cluster, day, topic, partition_id, position.group_id
            order by at, position.record_offset
            rows between unbounded preceding and current row
        ) as deletions
    from last_log_ends
    where position is not null
),

windows as (
    select
        *,
        collect_list(if(committed_offset is null, null, struct(at, committed_offset, lag))) over (
            partition by cluster, day, topic, partition_id, group_id, deletions
            order by at, record_offset
            rows between {{ status_setting("WINDOW") | int - 1 }} preceding and current row
        ) as commits
    from lags
),

-- `first_fall` is the place of the first commit below the one before it.
falls as (
    select
        *,
        commits.committed_offset as offsets,
        filter(commits.lag, lag -> lag is not null) as lags,
        array_min(
            transform(commits, (c, place) -> if(c.committed_offset < get(commits, place - 1).committed_offset, place, null))
        ) as first_fall
    from windows
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    at,
    record_offset,
    size(commits) as commits,
    get(commits, 0).at as first_committed_at,
    get(commits, size(commits) - 1).at as last_committed_at,
    get(commits, size(commits) - 1).committed_offset as last_committed_offset,
    array_min(lags) as lowest_lag,
    coalesce(array_max(slice(offsets, first_fall + 1, size(offsets))) < get(offsets, first_fall - 1), false) as rewound,
    array_min(offsets) = array_max(offsets) as is_stalled,
    not exists(transform(lags, (lag, place) -> lag < coalesce(get(lags, place - 1), lag)), fell -> fell) as lag_never_falls
from falls
