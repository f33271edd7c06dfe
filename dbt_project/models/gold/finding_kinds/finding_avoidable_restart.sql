-- one row per group of which dynamic members left and were back soon, and day
with

restarts as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as client,
        member_id,
        next_member_id,
        ended_at,
        back_after_ms,
        unix_millis(ended_at) <= unix_millis(
            lag(ended_at, 2) over (partition by cluster, day, group_id, client_id, client_host order by ended_at)
        ) + 3600000 as is_in_a_loop
    from {{ ref("member_sessions") }}
    where
        {{ of_the_days() }}
        and static_membership = 'would have spared'
),

-- who left began one rebalance, and who came back another
those as (
    select distinct
        cluster,
        day,
        group_id,
        explode(array(member_id, next_member_id)) as member_id
    from restarts
),

begun as (
    select
        rebalances.cluster,
        rebalances.day,
        rebalances.group_id,
        count(*) as rebalances,
        sum(rebalances.paused_partition_ms) as paused_partition_ms
    from {{ ref("rebalances") }} as rebalances
    left semi join those
        on
            rebalances.cluster = those.cluster
            and rebalances.day = those.day
            and rebalances.group_id = those.group_id
            and rebalances.trigger_member_id = those.member_id
    where
        {{ of_the_days("rebalances.day") }}
        and rebalances.reason in ('member_left', 'member_joined')
        -- the first one would have come for any member
        and rebalances.generation > 1
    group by all
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
        bool_or(coalesce(is_in_a_loop, false)) as is_a_loop
    from restarts
    group by all
)

select
    by_group.cluster,
    by_group.day,
    by_group.group_id,
    'avoidable_restart' as kind,
    by_group.group_id as subject,
    if(by_group.is_a_loop, 'warning', 'info') as severity,
    concat(
        if(by_group.clients = 1, by_group.client, {{ counted("by_group.clients", "client") }}), ' of ', by_group.group_id,
        if(by_group.is_a_loop, ' left and came back again and again: ', ' left and came back '),
        {{ counted("by_group.restarts", "time") }}
    ) as title,
    concat(
        'First at ', {{ utc("by_group.first_at") }}, ', away for ', format_number(by_group.longest_ms / 1000, 1),
        ' s at most: each time shorter than its session timeout'
    ) as evidence,
    concat(
        {{ counted("begun.rebalances", "rebalance") }},
        if(
            begun.paused_partition_ms > 0,
            concat(', in which reading stood still for ', {{ partition_time("begun.paused_partition_ms") }}), ''
        )
    ) as cost,
    cast(null as bigint) as cost_records,
    begun.paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        by_group.is_a_loop,
        'Find what restarts it; and give each member a group.instance.id of its own, so that a restart needs no rebalance',
        'Give each member a group.instance.id of its own, the same after a restart'
    ) as recommendation,
    concat({{ counted("begun.rebalances", "rebalance") }}, ' fewer on a day like this') as expected_effect
from by_group
inner join begun
    on
        by_group.cluster = begun.cluster
        and by_group.day = begun.day
        and by_group.group_id = begun.group_id
