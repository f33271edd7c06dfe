-- one row per member that joined its group or went, and day
with

sessions as (
    select
        cluster,
        day,
        group_id,
        member_id,
        coalesce(client_id, member_id) as member,
        ltrim('/', client_host) as host,
        instance_id,
        joined_at,
        ended_at,
        ended_by,
        if(generations > 0, array('offset_dumps'), array('group_logs')) as sources
    from {{ source("silver", "member_sessions") }}
    where {{ is_selected_day() }}
),

joined as (
    select
        cluster,
        day,
        group_id,
        joined_at as happened_at,
        1L as turn,
        'member_joined' as kind,
        concat(
            member, ' joined', coalesce(concat(' from ', host), ''), coalesce(concat(' as instance ', instance_id), '')
        ) as sentence,
        concat('gold.member_sessions, member ', member_id) as evidence,
        sources
    from sessions
    -- Of some nothing but their end is told.
    where cast(joined_at as date) = day and (ended_at is null or joined_at < ended_at)
),

went as (
    select
        cluster,
        day,
        group_id,
        ended_at as happened_at,
        0L as turn,
        'member_went' as kind,
        concat(
            member,
            case ended_by
                when 'left' then ' left'
                when 'poll_interval' then ' left, since it did not poll in time'
                when 'session_timeout' then ' was removed: no heartbeat came within its session timeout'
                when 'rebalance_timeout' then ' was removed: it did not join the rebalance in time'
                when 'fenced' then ' was fenced: another took over its instance id'
                when 'replaced' then ' was replaced by its next start, the same static member'
                when 'group_removed' then ' went with its group, which was removed'
                else ' is gone, and no log tells how'
            end,
            if(
                joined_at < ended_at,
                concat(', ', format_number((unix_millis(ended_at) - unix_millis(joined_at)) / 1000, 1), ' s after it joined'),
                ''
            )
        ) as sentence,
        concat('gold.member_sessions, member ', member_id) as evidence,
        if(ended_by is null or ended_by = 'replaced', sources, array_union(sources, array('group_logs'))) as sources
    from sessions
    where ended_at is not null
)

select
    cluster,
    day,
    group_id,
    happened_at,
    turn,
    kind,
    sentence,
    evidence,
    sources
from joined
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    turn,
    kind,
    sentence,
    evidence,
    sources
from went
