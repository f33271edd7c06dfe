-- one row per session of a static member that another process took over: the last sign of life of the process before
with

replaced as (
    select
        cluster,
        day,
        group_id,
        member_id,
        client_id,
        joined_at,
        ended_at
    from {{ source("silver", "member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'replaced'
        and ended_at is not null
),

-- The process that took over has the same client id, so its start separates the lines of the two.
starts as (
    select
        cluster,
        group_id,
        client_id,
        happened_at as at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and event = 'subscribed'
    union all
    select
        cluster,
        group_id,
        client_id,
        started_at as at
    from {{ source("silver", "client_configs") }}
    where {{ is_selected_or_previous_day() }}
),

taken_over as (
    select
        replaced.*,
        coalesce(min(starts.at), replaced.ended_at) as taken_over_at
    from replaced
    left join starts
        on
            replaced.cluster = starts.cluster
            and replaced.group_id = starts.group_id
            and replaced.client_id = starts.client_id
            and replaced.joined_at < starts.at
            and replaced.ended_at >= starts.at
    group by all
),

signs_of_life as (
    select
        cluster,
        group_id,
        client_id,
        cast(null as string) as member_id,
        happened_at as at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and client_id is not null
    union all
    select
        cluster,
        group_id,
        null as client_id,
        member_id,
        happened_at as at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and side = 'broker'
        and event = 'static_member_away'
    union all
    select
        cluster,
        group_id,
        owner_client_id as client_id,
        null as member_id,
        committed_at as at
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_or_previous_day() }}
        and owner_client_id is not null
)

select /*+ broadcast(taken_over) */
    taken_over.cluster,
    taken_over.day,
    taken_over.group_id,
    taken_over.member_id,
    taken_over.joined_at,
    max(signs_of_life.at) as last_seen_at
from signs_of_life
inner join taken_over
    on
        signs_of_life.cluster = taken_over.cluster
        and signs_of_life.group_id = taken_over.group_id
        and (signs_of_life.client_id = taken_over.client_id or signs_of_life.member_id = taken_over.member_id)
        and signs_of_life.at >= taken_over.joined_at
        and signs_of_life.at < taken_over.taken_over_at
group by taken_over.cluster, taken_over.day, taken_over.group_id, taken_over.member_id, taken_over.joined_at
