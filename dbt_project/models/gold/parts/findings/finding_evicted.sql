-- one row per group from which the coordinator removed members, static ones apart, and day
with

incidents as (
    {{ coordinator_incidents() }}
),

evictions as (
    select
        *,
        coalesce(instance_id, client_id, member_id) as name,
        instance_id is not null as is_static,
        -- A member of KIP-848 joins again under its id, and starts of reading name the member only.
        ended_at = max(ended_at) over (partition by cluster, group_id, member_id, ended_by, day) as is_last_of_member,
        ended_at - make_dt_interval(0, 0, 0, coalesce(session_timeout_ms, 10000) / 1000) as last_alive_at
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by in ('session_timeout', 'rebalance_timeout')
),

-- What happened to its partitions: who read them next, and from where.
next_starts as (
    select
        cluster,
        group_id,
        from_member_id as member_id,
        ended_by,
        count(*) as partitions,
        sum(unread_ms) as unread_ms,
        sum(reprocessed_at_least) as records_at_least,
        {{ sum_if_known("reprocessed_at_most") }} as records_at_most,
        max(time_to_detect_ms) as time_to_detect_ms,
        bool_or(group_was_empty) as group_was_empty
    from {{ ref("read_starts") }}
    where
        {{ is_selected_day() }}
        and from_member_id is not null
        and ended_by in ('session_timeout', 'rebalance_timeout')
    group by all
),

-- A member that was last alive while its coordinator was away could send no heartbeat.
explained_evictions as (
    select
        evictions.cluster,
        evictions.group_id,
        evictions.member_id,
        evictions.ended_at,
        min(incidents.what) as what
    from evictions
    inner join incidents
        on
            evictions.cluster = incidents.cluster
            and evictions.group_id = incidents.group_id
            and evictions.ended_at >= incidents.started_at
            and {{ is_within_incident("evictions.last_alive_at", "incidents") }}
    group by all
),

storms as (
    select
        cluster,
        day,
        group_id,
        sum(rebalances) as rebalances_in_storms
    from {{ ref("storms") }}
    where part_of = 'evicted'
    group by all
),

members as (
    select
        cluster,
        evictions.day,
        group_id,
        evictions.is_static,
        count(distinct evictions.name) as names,
        min(evictions.name) as name,
        array_join(slice(array_sort(collect_set(evictions.name)), 1, 5), ', ') as first_names,
        count(*) as times,
        count(evictions.next_member_id) as returns,
        bool_and(coalesce(evictions.instance_id, evictions.client_id) is not null) as has_names,
        min(evictions.ended_at) as first_at,
        bool_or(ended_by = 'session_timeout') as is_session_timeout,
        sum(next_starts.partitions) filter (where evictions.is_last_of_member) as partitions,
        sum(next_starts.unread_ms) filter (where evictions.is_last_of_member) as unread_ms,
        sum(next_starts.records_at_least) filter (where evictions.is_last_of_member) as records_at_least,
        if(
            count(next_starts.partitions) = count(next_starts.records_at_most),
            sum(next_starts.records_at_most) filter (where evictions.is_last_of_member), null
        ) as records_at_most,
        max(next_starts.time_to_detect_ms) as time_to_detect_ms,
        bool_or(next_starts.group_was_empty) as group_was_empty,
        sum(evictions.rebalances) as rebalances,
        if(count(explained_evictions.what) = count(*), min(explained_evictions.what), null) as explained_by
    from evictions
    left join next_starts using (cluster, group_id, member_id, ended_by)
    left join explained_evictions using (cluster, group_id, member_id, ended_at)
    group by all
),

groups as (
    select
        members.*,
        if(members.is_static, 'group.instance.id', 'client id') as id_name,
        storms.rebalances_in_storms,
        known_readers.has_known_readers
    from members
    left join storms using (cluster, day, group_id)
    left join {{ ref("known_readers") }} as known_readers using (cluster, day, group_id)
)

select
    cluster,
    day,
    group_id,
    'evicted' as kind,
    if(names = 1, name, if(is_static, 'static members', 'members')) as subject,
    if(is_static or explained_by is not null, 'info', 'warning') as severity,
    concat(
        if(
            names = 1, concat(if(is_static, 'Static member ', 'Consumer '), name),
            concat(names, if(is_static, ' static members', ' consumers'))
        ),
        ' of group ', group_id,
        if(
            is_session_timeout,
            if(
                names = 1, ' was removed: it sent no heartbeat within its session timeout',
                ' were removed: they sent no heartbeat within their session timeout'
            ),
            concat(if(names = 1, ' was removed: it', ' were removed: they'), ' did not rejoin before the rebalance timeout')
        )
    ) as title,
    concat(
        {{ quantity("times", "time") }}, ', first at ', {{ utc("first_at") }},
        if(names = 1, '', concat(' (', first_names, if(names > 5, ', …', ''), ')')),
        coalesce(concat('; ', explained_by, ' at that time'), ''),
        coalesce(concat(', noticed ', {{ seconds("time_to_detect_ms") }}, ' after the last sign of life'), ''),
        case
            when returns > 0
                then concat('; a consumer with that ', id_name, ' joined again ', {{ quantity("returns", "time") }})
            -- Without a name nobody can be recognised.
            when has_names then concat('; no consumer with that ', id_name, ' joined again')
            else ''
        end,
        if(group_was_empty, '; the group had no members for a time', ''),
        if(
            rebalances_in_storms > 0 and not is_static,
            concat('; part of a storm of ', {{ quantity("rebalances_in_storms", "rebalance") }}), ''
        )
    ) as evidence,
    case
        when partitions is null and has_known_readers is null
            then 'Unknown: neither client logs nor group records show who read the partitions next'
        when partitions is null
            then 'Nobody has started to read the partitions again that day, so nothing was reprocessed yet'
        else concat(
            {{ quantity("partitions", "partition") }}, if(partitions = 1, ' was', ' were'), ' not read for ',
            {{ partition_time("unread_ms") }}, ', from the last sign of life to the next assignment; ',
            case
                when records_at_most is null then 'how many records were reprocessed is unknown'
                when records_at_most = 0 then 'no record was reprocessed'
                when records_at_least = records_at_most then concat({{ quantity("records_at_most", "record") }}, ' reprocessed')
                else concat(
                    if(records_at_least > 0, concat('at least ', format_number(records_at_least, 0), ' and '), ''), 'at most ',
                    {{ quantity("records_at_most", "record") }},
                    ' reprocessed (lost instead, if the application commits before it processes)'
                )
            end
        )
    end as cost,
    records_at_most as cost_records,
    unread_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when explained_by is not null
            then 'Nothing to change in the group; a session timeout longer than a restart of a broker outlasts it'
        when is_static
            then
                'Restart it within its session timeout; if it was stopped for good, remove it with the admin client'
        when is_session_timeout
            then 'Stop it with close() rather than a kill; otherwise find out what stopped it: memory, a long pause, the network'
        else 'Finish each batch in time: lower max.poll.records or raise max.poll.interval.ms'
    end as recommendation,
    if(
        not is_static,
        concat(
            'A member that closes frees its partitions at once',
            coalesce(concat(': up to ', {{ partition_time("unread_ms") }}, ' more of reading'), '')
        ),
        concat(
            'A static member that returns in time keeps its partitions',
            if(rebalances = 0, '', concat(': ', {{ quantity("rebalances", "fewer rebalance") }}))
        )
    ) as expected_effect
from groups
