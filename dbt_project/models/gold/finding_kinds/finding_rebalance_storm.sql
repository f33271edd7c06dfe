-- one row per group that rebalanced in a storm, and day
with

stormy as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        min(coalesce(started_at, completed_at)) as since,
        max(coalesce(completed_at, started_at)) as until,
        mode(reason) as reason,
        sum(paused_partition_ms) as paused_partition_ms,
        count(distinct trigger_client_id) as clients,
        min(trigger_client_id) as client_id
    from {{ ref("rebalances") }}
    where
        {{ of_the_days() }}
        and in_storm
    group by all
)

select
    cluster,
    day,
    group_id,
    'rebalance_storm' as kind,
    group_id as subject,
    'warning' as severity,
    concat(group_id, ' rebalanced ', {{ counted("rebalances", "time") }}, ' in a storm') as title,
    concat(
        'From ', {{ utc("since") }}, ' to ', {{ utc("until") }}, ', most often for ', replace(reason, '_', ' '),
        if(clients = 1, concat(', each time begun by ', client_id), '')
    ) as evidence,
    if(
        paused_partition_ms is null,
        'Reading stood still for as long as no source tells',
        concat('Reading stood still for ', format_number(paused_partition_ms / 60000, 1), ' partition-minutes')
    ) as cost,
    cast(null as bigint) as cost_records,
    case reason
        when 'poll_interval' then 'Poll fewer records at a time, or give them longer: max.poll.records, max.poll.interval.ms'
        when 'session_timeout' then 'Find what stops the members; a longer session.timeout.ms outlasts a pause of theirs'
        when 'enforced' then 'Find what calls enforceRebalance'
        when 'subscription_or_topics_changed' then 'Subscribe all members alike, and create topics together'
        else 'Start and stop members together, with group.instance.id so that a restart needs no rebalance'
    end as recommendation,
    concat('Up to ', {{ counted("rebalances - 1", "rebalance") }}, ' fewer') as expected_effect
from stormy
