-- one row per group that took half a minute or longer to rebalance, and day
with

slow_rebalances as (
    select *
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and duration_ms >= 30000
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        max_by(struct(generation, started_at, duration_ms, join_ms, sync_ms), duration_ms) as slowest,
        sum(paused_partition_ms) as paused_partition_ms,
        sum(cast(paused_partition_ms * (1 - 5000 / duration_ms) as bigint)) as avoidable_ms
    from slow_rebalances
    group by all
)

select
    cluster,
    day,
    group_id,
    'slow_rebalance' as kind,
    group_id as subject,
    'warning' as severity,
    concat('Group ', group_id, ' took ', {{ seconds("slowest.duration_ms") }}, ' to rebalance') as title,
    concat(
        {{ quantity("rebalances", "rebalance") }}, ' of 30 s or longer, the slowest to generation ', slowest.generation, ' at ',
        {{ utc("slowest.started_at") }},
        coalesce(
            concat(': join phase ', {{ seconds("slowest.join_ms") }}, ', sync phase ', {{ seconds("slowest.sync_ms") }}), ''
        )
    ) as evidence,
    if(
        paused_partition_ms is null,
        'Consumption paused for an unknown time',
        concat('Consumption paused for ', {{ partition_time("paused_partition_ms") }})
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when slowest.sync_ms > slowest.join_ms
            then 'Check the group leader, which computes the assignment, and its connection to the broker'
        else 'Members join when they poll: shorten the batches (max.poll.records), or revoke partitions faster'
    end as recommendation,
    if(
        avoidable_ms is null, 'All members continue as soon as the last one has joined',
        concat('Rebalances of 5 s would have paused consumption for ', {{ partition_time("avoidable_ms") }}, ' less')
    ) as expected_effect
from groups
