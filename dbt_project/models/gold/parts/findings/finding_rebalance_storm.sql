-- one row per group that rebalanced in a storm, and day
with

rebalances as (
    select
        *,
        {{ rebalance_time() }} as at,
        coalesce(completed_at, started_at) as until,
        reason in (
            'poll_interval', 'session_timeout', 'rebalance_timeout', 'sync_timeout', 'enforced', 'subscription_or_topics_changed'
        ) as is_specific
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and in_storm
),

storm_starts as (
    select
        *,
        coalesce(at > lag(at) over by_time + interval {{ storm_minutes() }} minutes, true) as starts_a_storm
    from rebalances
    window by_time as (partition by cluster, day, group_id order by at)
),

storm_rebalances as (
    select
        *,
        count_if(starts_a_storm) over (partition by cluster, day, group_id order by at) as storm
    from storm_starts
),

-- Members that start or stop one after the other within two minutes are a deployment.
costly_storms as (
    select
        cluster,
        day,
        group_id,
        storm
    from storm_rebalances
    group by all
    having
        sum(paused_partition_ms) >= 60000
        or max(until) > min(at) + interval 2 minutes
        or max(reason not in ('member_joined', 'member_left', 'partitions_revoked', 'leader_rejoined', 'unknown'))
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        min(storm_rebalances.at) as since,
        max(storm_rebalances.until) as until,
        mode(storm_rebalances.reason) as reason,
        mode(if(storm_rebalances.is_specific, storm_rebalances.reason, null)) as specific_reason,
        5 * count_if(storm_rebalances.is_specific) >= count(*) as is_specific,
        sum(storm_rebalances.paused_partition_ms) as paused_partition_ms,
        count(distinct storm_rebalances.trigger_client_id) as clients,
        min(storm_rebalances.trigger_client_id) as client_id
    from storm_rebalances
    left semi join costly_storms using (cluster, day, group_id, storm)
    group by all
)

select
    cluster,
    day,
    group_id,
    'rebalance_storm' as kind,
    group_id as subject,
    'warning' as severity,
    concat('Group ', group_id, ' rebalanced ', {{ quantity("rebalances", "time") }}, ' in a storm') as title,
    concat(
        'From ', {{ utc("since") }}, ' to ', {{ utc("until") }}, ', most frequent reason: ', replace(reason, '_', ' '),
        if(clients = 1, concat(', all triggered by ', client_id), '')
    ) as evidence,
    if(
        paused_partition_ms is null,
        'Consumption paused for an unknown time',
        concat('Consumption paused for ', {{ partition_time("paused_partition_ms") }})
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    -- Members that come back also join and leave. If one reason in five is more specific, it shows what to do.
    case if(is_specific, specific_reason, reason)
        when 'poll_interval' then 'Poll fewer records at a time, or allow more time: max.poll.records, max.poll.interval.ms'
        when 'rebalance_timeout' then 'Poll fewer records at a time, or allow more time: max.poll.records, max.poll.interval.ms'
        when 'session_timeout' then 'Find out what stops the members; a longer session.timeout.ms outlasts their pauses'
        when 'enforced' then 'Find out what calls enforceRebalance'
        when 'subscription_or_topics_changed' then 'Give all members the same subscription, and create topics together'
        else 'Start and stop members together, and set group.instance.id so that a restart needs no rebalance'
    end as recommendation,
    concat('Up to ', {{ quantity("rebalances - 1", "fewer rebalance") }}, ' on a day like this') as expected_effect
from groups
