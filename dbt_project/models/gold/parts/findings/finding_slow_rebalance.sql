-- one row per group that took half a minute or longer to rebalance, and day
with

incidents as (
    {{ coordinator_incidents() }}
),

slow_rebalances as (
    select rebalances.*
    from {{ ref("rebalances") }} as rebalances
    left anti join incidents
        on
            rebalances.cluster = incidents.cluster
            and rebalances.group_id = incidents.group_id
            and {{ is_within_incident("rebalances.started_at", "incidents") }}
    where
        {{ is_selected_day("rebalances.day") }}
        and rebalances.duration_ms >= 30000
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        max_by(struct(generation, started_at, duration_ms, join_ms, sync_ms), duration_ms) as slowest,
        sum(coalesce(paused_partition_ms, paused_partition_ms_at_most)) as paused_partition_ms,
        bool_or(paused_partition_ms is null) as is_bound,
        sum(cast(coalesce(paused_partition_ms, paused_partition_ms_at_most) * (1 - 5000 / duration_ms) as bigint)) as avoidable_ms
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
        'How long partitions were not read is unknown',
        concat('Partitions were not read for ', if(is_bound, 'at most ', ''), {{ partition_time("paused_partition_ms") }})
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
        concat('Rebalances of 5 s would have saved ', if(is_bound, 'at most ', ''), {{ partition_time("avoidable_ms") }})
    ) as expected_effect
from groups
