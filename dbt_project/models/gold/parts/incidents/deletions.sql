-- one row per group that was deleted, or of which committed offsets were deleted, by an administrator, and day
with

logged_deletions as (
    select
        cluster,
        day,
        event,
        explode(split(coalesce(group_id, details['deleted_groups']), ', ')) as group_id,
        happened_at as at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event in ('group_deleted', 'offsets_deleted')
        and happened_at is not null
),

-- A position that was deleted before its retention had passed did not expire.
tombstones as (
    select
        cluster,
        day,
        group_id,
        date_trunc('second', recorded_at) as at,
        count(*) as positions
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and committed_offset is null
        and recorded_at is not null
        and coalesce(
            ended_by = 'deleted',
            unix_millis(recorded_at) - unix_millis(previous_committed_at) < 60000L * {{ offsets_retention_minutes("cluster") }}
        )
    group by all
),

group_ends as (
    select
        cluster,
        group_id,
        since as at
    from {{ source("silver", "group_owners") }}
    where
        {{ is_selected_day() }}
        and generation is null
        and since is not null
    union
    select
        cluster,
        group_id,
        at
    from logged_deletions
    where event = 'group_deleted'
),

tombstones_by_end as (
    select
        tombstones.cluster,
        tombstones.day,
        tombstones.group_id,
        tombstones.at,
        max(group_ends.at) as group_ended_at
    from tombstones
    left join group_ends
        on
            tombstones.cluster = group_ends.cluster
            and tombstones.group_id = group_ends.group_id
            and group_ends.at between tombstones.at - interval 2 seconds and tombstones.at + interval 3 seconds
    group by all
),

deletions as (
    select
        cluster,
        day,
        event as kind,
        group_id,
        at,
        'broker_log' as origin
    from logged_deletions
    union all
    select
        cluster,
        day,
        if(group_ended_at is null, 'offsets_deleted', 'group_deleted') as kind,
        group_id,
        coalesce(group_ended_at, at) as at,
        'offsets_topic' as origin
    from tombstones_by_end
)

-- The two sources report the same deletion within moments.
select
    cluster,
    day,
    kind,
    group_id as subject,
    min(at) as started_at,
    max(at) as ended_at,
    array_sort(collect_set(origin)) as evidence
from deletions
group by cluster, day, kind, group_id, date_trunc('minute', at)
