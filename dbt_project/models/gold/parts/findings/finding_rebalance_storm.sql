-- one row per group that rebalanced in storms that no other finding is about, and day
with

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as storms,
        sum(rebalances) as rebalances,
        min(since) as since,
        max(until) as until,
        max_by(reason, rebalances) as reason,
        bool_or(is_enforced) as is_enforced,
        bool_and(is_deployment) as is_deployment,
        sum(paused_partition_ms) as paused_partition_ms,
        bool_or(is_bound) as is_bound,
        max(clients) as clients,
        count(distinct client_id) as first_clients,
        min(client_id) as client_id
    from {{ ref("storms") }}
    where part_of is null
    group by all
)

select
    cluster,
    day,
    group_id,
    'rebalance_storm' as kind,
    group_id as subject,
    if(is_deployment, 'info', 'warning') as severity,
    concat(
        'Group ', group_id, ' rebalanced ', {{ quantity("rebalances", "time") }}, ' in ',
        if(storms = 1, 'a storm', concat(storms, ' storms')),
        if(is_deployment, ', while its members were started or stopped', '')
    ) as title,
    concat(
        'From ', {{ utc("since") }}, ' to ', {{ utc("until") }}, ', most frequent reason: ', replace(reason, '_', ' '),
        if(clients = 1 and first_clients = 1, concat(', all triggered by ', client_id), '')
    ) as evidence,
    if(
        paused_partition_ms is null,
        'How long partitions were not read is unknown',
        concat('Partitions were not read for ', if(is_bound, 'at most ', ''), {{ partition_time("paused_partition_ms") }})
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when is_enforced then 'Find out what calls enforceRebalance'
        when reason = 'subscription_or_topics_changed' then 'Give all members the same subscription, and create topics together'
        else 'Start and stop members together, and set group.instance.id so that a restart needs no rebalance'
    end as recommendation,
    concat('Up to ', {{ quantity("rebalances - storms", "fewer rebalance") }}, ' on a day like this') as expected_effect
from groups
