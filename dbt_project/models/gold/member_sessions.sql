-- one row per session of a member; one that is still open is told as the cluster's last day left it
with

last_days as (
    select
        cluster,
        max(day) as day
    from {{ source("silver", "member_sessions") }}
    group by all
),

-- those that ended on the days, and those that are open
sessions as (
    select
        sessions.cluster,
        sessions.day,
        sessions.group_id,
        sessions.member_id,
        sessions.joined_at,
        sessions.client_id,
        sessions.client_host,
        sessions.instance_id,
        sessions.ended_at,
        sessions.ended_by,
        sessions.generations,
        sessions.next_member_id
    from {{ source("silver", "member_sessions") }} as sessions
    left join last_days
        on
            sessions.cluster = last_days.cluster
            and sessions.day = last_days.day
    where
        ({{ of_the_days("sessions.day") }} and sessions.ended_at is not null)
        or (sessions.ended_by = 'still_member' and last_days.day is not null)
),

begun as (
    select
        cluster,
        day,
        group_id,
        member_id,
        joined_at
    from {{ source("silver", "member_sessions") }}
    where {{ of_the_days() }}
),

-- A member may come back more than once under its id: who came after is the first that joined since.
followed as (
    select
        sessions.cluster,
        sessions.day,
        sessions.group_id,
        sessions.member_id,
        sessions.joined_at,
        min(if(begun.joined_at > sessions.joined_at, begun.joined_at, null)) as next_joined_at
    from sessions
    inner join begun
        on
            sessions.cluster = begun.cluster
            and sessions.day = begun.day
            and sessions.group_id = begun.group_id
            and sessions.next_member_id = begun.member_id
    where sessions.ended_at is not null
    group by all
),

timeouts as (
    select
        cluster,
        day,
        group_id,
        member_id,
        max(session_timeout_ms) as session_timeout_ms
    from {{ source("silver", "group_members") }}
    where {{ of_the_days() }}
    group by all
),

-- rebalances that a static member's return began all the same
changed as (
    select distinct
        cluster,
        day,
        group_id,
        trigger_member_id as member_id
    from {{ source("silver", "rebalances") }}
    where
        {{ of_the_days() }}
        and trigger_member_id is not null
),

measured as (
    select
        sessions.cluster,
        sessions.day,
        sessions.group_id,
        sessions.member_id,
        sessions.joined_at,
        sessions.client_id,
        sessions.client_host,
        sessions.instance_id,
        sessions.ended_at,
        sessions.ended_by,
        sessions.generations,
        sessions.next_member_id,
        timeouts.session_timeout_ms,
        changed.member_id is not null as came_back_changed,
        -- Two sources may tell of the end and of the return in either order.
        unix_millis(greatest(followed.next_joined_at, sessions.ended_at)) - unix_millis(sessions.ended_at) as back_after_ms,
        followed.next_joined_at is not null as came_back
    from sessions
    left join followed
        on
            sessions.cluster = followed.cluster
            and sessions.day = followed.day
            and sessions.group_id = followed.group_id
            and sessions.member_id = followed.member_id
            and sessions.joined_at = followed.joined_at
    left join timeouts
        on
            sessions.cluster = timeouts.cluster
            and sessions.day = timeouts.day
            and sessions.group_id = timeouts.group_id
            and sessions.member_id = timeouts.member_id
    left join changed
        on
            sessions.cluster = changed.cluster
            and sessions.day = changed.day
            and sessions.group_id = changed.group_id
            and sessions.next_member_id = changed.member_id
)

select
    cluster,
    day,
    group_id,
    member_id,
    joined_at,
    client_id,
    client_host,
    instance_id,
    ended_at,
    ended_by,
    generations,
    next_member_id,
    session_timeout_ms,
    if(came_back, back_after_ms, null) as back_after_ms,
    case
        when ended_by = 'replaced' and not came_back_changed then 'spared'
        when instance_id is null and coalesce(ended_by, 'left') = 'left' and came_back and back_after_ms < session_timeout_ms
            then 'would have spared'
    end as static_membership
from measured
