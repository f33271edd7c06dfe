-- one row per session of a member; an open session is a row of the cluster's last day
with

last_days as (
    select
        cluster,
        max(day) as day,
        true as is_last_day
    from {{ source("silver", "member_sessions") }}
    group by cluster
),

-- Sessions that ended on the selected days, and all open ones.
sessions as (
    select sessions.*
    from {{ source("silver", "member_sessions") }} as sessions
    left join last_days using (cluster, day)
    where
        ({{ is_selected_day("sessions.day") }} and sessions.ended_at is not null)
        or (sessions.ended_by = 'still_member' and last_days.is_last_day)
),

-- An ended session is looked up twice in one join: by its own member, and by the member that followed it.
lookups as (
    select
        *,
        member_id as actor_id,
        false as is_follower
    from sessions
    where ended_at is not null
    union all
    select
        *,
        next_member_id as actor_id,
        true as is_follower
    from sessions
    where
        ended_at is not null
        and next_member_id is not null
),

-- When members joined, their session timeouts, and the rebalances that they triggered.
member_facts as (
    select
        cluster,
        day,
        group_id,
        member_id as actor_id,
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
        member_id as actor_id,
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
        trigger_member_id as actor_id,
        {{ rebalance_time() }} as at,
        null as session_timeout_ms,
        reason,
        paused_partition_ms
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and trigger_member_id is not null
        -- The first member of a group begins a rebalance whoever it is.
        and generation > 1
),

matches as (
    select
        lookups.*,
        member_facts.at,
        member_facts.session_timeout_ms,
        member_facts.paused_partition_ms,
        -- A member may come back several times under its id: its first session after this one is the one that followed.
        lookups.is_follower and member_facts.reason is null and member_facts.at > lookups.joined_at as is_return,
        -- Sources disagree by seconds about the time of the same event.
        case
            when lookups.is_follower
                then
                    member_facts.reason in ('member_joined', 'static_member_changed')
                    and member_facts.at >= lookups.ended_at - interval 10 seconds
            else
                member_facts.reason in ('member_left', 'poll_interval', 'session_timeout', 'rebalance_timeout', 'sync_timeout')
                and member_facts.at between lookups.ended_at - interval 10 seconds and lookups.ended_at + interval 10 seconds
        end as is_triggered
    from lookups
    inner join member_facts using (cluster, day, group_id, actor_id)
),

session_facts as (
    select
        cluster,
        day,
        group_id,
        member_id,
        joined_at,
        max(if(is_follower, null, session_timeout_ms)) as session_timeout_ms,
        min(if(is_return, at, null)) as next_joined_at,
        count_if(is_triggered) as rebalances,
        sum(if(is_triggered, paused_partition_ms, null)) as paused_partition_ms
    from matches
    group by all
),

joined as (
    select
        sessions.*,
        session_facts.session_timeout_ms,
        coalesce(session_facts.rebalances, 0) as rebalances,
        session_facts.paused_partition_ms,
        -- A replaced member ended in silence before the return that shows it.
        if(sessions.ended_by = 'replaced', replaced.last_seen_at, sessions.ended_at) as gone_at,
        -- The end and the return may be reported in either order.
        if(
            session_facts.next_joined_at is null, null,
            unix_millis(greatest(session_facts.next_joined_at, gone_at)) - unix_millis(gone_at)
        ) as back_after_ms
    from sessions
    left join session_facts using (cluster, day, group_id, member_id, joined_at)
    left join {{ ref("replaced_members") }} as replaced using (cluster, day, group_id, member_id, joined_at)
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
from joined
