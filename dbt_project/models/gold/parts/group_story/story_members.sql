-- one row per member that joined or left its group, and day
with

sessions as (
    select
        *,
        coalesce(client_id, member_id) as member,
        if(generations > 0, array('offset_dumps'), array('group_logs')) as sources
    from {{ source("silver", "member_sessions") }}
    where {{ is_selected_day() }}
)

select
    cluster,
    day,
    group_id,
    joined_at as happened_at,
    1L as turn,
    'member_joined' as kind,
    concat(
        member, ' joined', coalesce(concat(' from ', ltrim('/', client_host)), ''),
        coalesce(concat(' as instance ', instance_id), '')
    ) as sentence,
    concat('gold.member_sessions, member ', member_id) as evidence,
    sources
from sessions
-- Of some members only the end is known.
where cast(joined_at as date) = day and (ended_at is null or joined_at < ended_at)
union all
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
            when 'poll_interval' then ' left because it did not poll in time'
            when 'session_timeout' then ' was removed: it sent no heartbeat within its session timeout'
            when 'rebalance_timeout' then ' was removed: it did not rejoin before the rebalance timeout'
            when 'fenced' then ' was fenced: another consumer took over its instance id'
            when 'replaced' then ' was replaced: the same static member restarted'
            when 'group_removed' then ' ended with its group, which was deleted'
            else ' disappeared, and no log shows how'
        end,
        if(
            joined_at < ended_at,
            concat(', ', {{ seconds("(unix_millis(ended_at) - unix_millis(joined_at))") }}, ' after it joined'),
            ''
        )
    ) as sentence,
    concat('gold.member_sessions, member ', member_id) as evidence,
    if(ended_by is null or ended_by = 'replaced', sources, array_union(sources, array('group_logs'))) as sources
from sessions
where ended_at is not null
