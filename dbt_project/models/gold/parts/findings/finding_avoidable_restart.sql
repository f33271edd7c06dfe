-- one row per group whose dynamic members left and soon rejoined, and day
with

restarts as (
    select
        *,
        unix_millis(ended_at) <= unix_millis(
            lag(ended_at, 2) over (partition by cluster, day, group_id, client_id, client_host order by ended_at)
        ) + 3600000 as is_in_a_loop
    from {{ ref("avoidable_restarts") }}
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as restarts,
        count(distinct client) as clients,
        min(client) as client,
        min(ended_at) as first_at,
        max(back_after_ms) as longest_ms,
        bool_or(coalesce(is_in_a_loop, false)) as is_a_loop,
        sum(rebalances) as rebalances,
        sum(paused_partition_ms) as paused_partition_ms
    from restarts
    group by all
    having rebalances > 0
)

select
    cluster,
    day,
    group_id,
    'avoidable_restart' as kind,
    group_id as subject,
    if(is_a_loop, 'warning', 'info') as severity,
    concat(
        if(clients = 1, concat('Client ', client), {{ quantity("clients", "client") }}), ' of group ', group_id,
        if(is_a_loop, ' left and rejoined in a loop: ', ' left and rejoined '), {{ quantity("restarts", "time") }}
    ) as title,
    concat(
        'First at ', {{ utc("first_at") }}, ', gone for at most ', {{ seconds("longest_ms") }},
        ', always shorter than the session timeout'
    ) as evidence,
    concat(
        {{ quantity("rebalances", "rebalance") }},
        if(paused_partition_ms > 0, concat('; partitions were not read for ', {{ partition_time("paused_partition_ms") }}), '')
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        is_a_loop,
        'Find out what restarts it, and give each member its own group.instance.id, so that a restart needs no rebalance',
        'Give each member its own group.instance.id and keep it across restarts'
    ) as recommendation,
    concat({{ quantity("rebalances", "fewer rebalance") }}, ' on a day like this') as expected_effect
from groups
