-- one row per group of which dynamic members left and were back soon, and day
with

restarts as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as client,
        ended_at,
        back_after_ms,
        rebalances,
        paused_partition_ms,
        unix_millis(ended_at) <= unix_millis(
            lag(ended_at, 2) over (partition by cluster, day, group_id, client_id, client_host order by ended_at)
        ) + 3600000 as is_in_a_loop
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and static_membership = 'would have spared'
),

by_group as (
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
        if(clients = 1, client, {{ quantity("clients", "client") }}), ' of ', group_id,
        if(is_a_loop, ' left and came back again and again: ', ' left and came back '),
        {{ quantity("restarts", "time") }}
    ) as title,
    concat(
        'First at ', {{ utc("first_at") }}, ', away for ', format_number(longest_ms / 1000, 1),
        ' s at most: each time shorter than its session timeout'
    ) as evidence,
    concat(
        {{ quantity("rebalances", "rebalance") }},
        if(
            paused_partition_ms > 0,
            concat(', in which reading stood still for ', {{ partition_time("paused_partition_ms") }}), ''
        )
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        is_a_loop,
        'Find what restarts it; and give each member a group.instance.id of its own, so that a restart needs no rebalance',
        'Give each member a group.instance.id of its own, the same after a restart'
    ) as recommendation,
    concat({{ quantity("rebalances", "rebalance") }}, ' fewer on a day like this') as expected_effect
from by_group
