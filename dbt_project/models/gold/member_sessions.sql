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
        ({{ is_selected_day("sessions.day") }} and sessions.ended_at is not null)
        or (sessions.ended_by = 'still_member' and last_days.day is not null)
),

-- What is told of the member itself, and of the one that came after, in one turn.
of_two as (
    select
        cluster,
        day,
        group_id,
        member_id,
        joined_at,
        ended_at,
        false as is_next,
        member_id as who
    from sessions
    where ended_at is not null
    union all
    select
        cluster,
        day,
        group_id,
        member_id,
        joined_at,
        ended_at,
        true as is_next,
        next_member_id as who
    from sessions
    where
        ended_at is not null
        and next_member_id is not null
),

told as (
    select
        cluster,
        day,
        group_id,
        member_id as who,
        joined_at as at,
        cast(null as int) as session_timeout_ms,
        cast(null as string) as reason,
        cast(null as bigint) as paused_partition_ms
    from {{ source("silver", "member_sessions") }}
    where {{ is_selected_day() }}
    union all
    select
        cluster,
        day,
        group_id,
        member_id as who,
        null as at,
        max(session_timeout_ms) as session_timeout_ms,
        null as reason,
        null as paused_partition_ms
    from {{ source("silver", "group_members") }}
    where {{ is_selected_day() }}
    group by all
    union all
    select
        cluster,
        day,
        group_id,
        trigger_member_id as who,
        coalesce(started_at, completed_at) as at,
        null as session_timeout_ms,
        reason,
        paused_partition_ms
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and trigger_member_id is not null
        -- The first one would have come for any member.
        and generation > 1
),

marked as (
    select
        of_two.cluster,
        of_two.day,
        of_two.group_id,
        of_two.member_id,
        of_two.joined_at,
        of_two.is_next,
        told.at,
        told.session_timeout_ms,
        told.reason,
        told.paused_partition_ms,
        -- A member may come back more than once under its id: who came after is the first that joined since.
        of_two.is_next and told.reason is null and told.at > of_two.joined_at as is_the_return,
        -- Sources tell of one thing within seconds.
        case
            when of_two.is_next
                then
                    told.reason in ('member_joined', 'static_member_changed')
                    and told.at >= of_two.ended_at - interval 10 seconds
            else
                told.reason in ('member_left', 'poll_interval', 'session_timeout', 'rebalance_timeout', 'sync_timeout')
                and told.at between of_two.ended_at - interval 10 seconds and of_two.ended_at + interval 10 seconds
        end as is_begun
    from of_two
    inner join told
        on
            of_two.cluster = told.cluster
            and of_two.day = told.day
            and of_two.group_id = told.group_id
            and of_two.who = told.who
),

measured as (
    select
        cluster,
        day,
        group_id,
        member_id,
        joined_at,
        max(if(is_next, null, session_timeout_ms)) as session_timeout_ms,
        min(if(is_the_return, at, null)) as next_joined_at,
        count_if(is_begun) as rebalances,
        sum(if(is_begun, paused_partition_ms, null)) as paused_partition_ms
    from marked
    group by all
),

with_return as (
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
        measured.session_timeout_ms,
        -- The end and the return may be told in either order.
        if(
            measured.next_joined_at is null, null,
            unix_millis(greatest(measured.next_joined_at, sessions.ended_at)) - unix_millis(sessions.ended_at)
        ) as back_after_ms,
        coalesce(measured.rebalances, 0) as rebalances,
        measured.paused_partition_ms
    from sessions
    left join measured
        on
            sessions.cluster = measured.cluster
            and sessions.day = measured.day
            and sessions.group_id = measured.group_id
            and sessions.member_id = measured.member_id
            and sessions.joined_at = measured.joined_at
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
    back_after_ms,
    rebalances,
    paused_partition_ms,
    case
        when ended_by = 'replaced' and rebalances = 0 then 'spared'
        when instance_id is null and coalesce(ended_by, 'left') = 'left' and back_after_ms < session_timeout_ms
            then 'would have spared'
    end as static_membership
from with_return
