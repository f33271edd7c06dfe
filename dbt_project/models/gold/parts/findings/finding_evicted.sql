-- one row per client that the coordinator removed from its group, and day
with

sessions as (
    select
        *,
        coalesce(client_id, member_id) as subject,
        -- A group without any remaining member has not reprocessed anything yet.
        bool_or(ended_at is null) over whole_group
        or ended_at < max(ended_at) over whole_group as is_group_running
    from {{ ref("member_sessions") }}
    where {{ is_selected_day() }}
    window whole_group as (partition by cluster, day, group_id)
),

evictions as (
    select *
    from sessions
    where ended_by in ('session_timeout', 'rebalance_timeout')
),

assignments as (
    select assignments.*
    from {{ ref("assignments") }} as assignments
    left semi join evictions using (cluster, day, group_id, member_id)
    where {{ is_selected_day("assignments.day") }}
),

-- What a member owned in each of its generations, and how many records a death there makes its successors reprocess.
owned as (
    select
        cluster,
        day,
        group_id,
        assignments.member_id,
        struct(assignments.incarnation, assignments.generation) as generation,
        count(*) as partitions,
        cast(sum(commit_health.replay_window_max) as bigint) as records
    from assignments
    left join {{ ref("commit_health") }} as commit_health using (cluster, day, group_id, topic, partition_id)
    group by all
),

last_owned as (
    select
        cluster,
        day,
        group_id,
        member_id,
        max_by(struct(partitions, records), generation) as owned
    from owned
    group by all
),

clients as (
    select
        cluster,
        day,
        group_id,
        evictions.subject,
        max(evictions.instance_id) as instance_id,
        count(*) as times,
        count(evictions.next_member_id) as returns,
        min(evictions.ended_at) as first_at,
        bool_or(evictions.ended_by = 'session_timeout') as is_session_timeout,
        max(evictions.session_timeout_ms) as session_timeout_ms,
        sum(last_owned.owned.partitions) as partitions,
        sum(last_owned.owned.records) as records,
        cast(
            sum(if(evictions.ended_by = 'session_timeout', last_owned.owned.partitions * evictions.session_timeout_ms, null))
            as bigint
        ) as unread_ms,
        sum(evictions.rebalances) as rebalances,
        bool_and(evictions.is_group_running) as is_group_running
    from evictions
    left join last_owned using (cluster, day, group_id, member_id)
    group by all
)

select
    cluster,
    day,
    group_id,
    'evicted' as kind,
    subject,
    if(instance_id is null, 'warning', 'info') as severity,
    concat(
        if(instance_id is null, concat('Consumer ', subject), concat('Static member ', instance_id)), ' of group ', group_id,
        if(
            is_session_timeout, ' was removed: it sent no heartbeat within its session timeout',
            ' was removed: it did not rejoin before the rebalance timeout'
        )
    ) as title,
    concat(
        {{ quantity("times", "time") }}, ', first at ', {{ utc("first_at") }},
        coalesce(concat(', with ', {{ quantity("partitions", "partition") }}), ''),
        coalesce(concat(', after a session timeout of ', {{ seconds("session_timeout_ms") }}), ''),
        if(returns = 0, '; it did not rejoin', concat('; it rejoined ', {{ quantity("returns", "time") }}))
    ) as evidence,
    concat_ws(
        '; ',
        coalesce(
            concat('Its partitions were not read for about ', {{ partition_time("unread_ms") }}),
            'Its partitions were not read until it was removed'
        ),
        concat(
            'up to ', {{ quantity("records", "record") }},
            if(is_group_running, ' were reprocessed', ' are reprocessed when the group runs again')
        )
    ) as cost,
    records as cost_records,
    unread_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when instance_id is not null
            then
                'Restart it within its session timeout; if it was stopped for good, remove it with the admin client'
        when is_session_timeout
            then 'Stop it with close() rather than a kill; otherwise find out what stopped it: memory, a long pause, the network'
        else 'Finish each batch in time: lower max.poll.records or raise max.poll.interval.ms'
    end as recommendation,
    if(
        instance_id is null,
        concat(
            'A member that closes frees its partitions at once',
            coalesce(concat(': about ', {{ partition_time("unread_ms") }}, ' more of reading'), '')
        ),
        concat(
            'A static member that returns in time keeps its partitions',
            if(rebalances = 0, '', concat(': ', {{ quantity("rebalances", "fewer rebalance") }}))
        )
    ) as expected_effect
from clients
