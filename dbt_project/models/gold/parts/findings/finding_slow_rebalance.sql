-- one row per group that took half a minute or longer to rebalance, and day
with

slow as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        max_by(struct(generation, started_at, duration_ms, join_ms, sync_ms), duration_ms) as slowest,
        sum(paused_partition_ms) as paused_partition_ms,
        sum(cast(paused_partition_ms * (1 - 5000 / duration_ms) as bigint)) as avoidable_ms
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and duration_ms >= 30000
    group by all
)

select
    cluster,
    day,
    group_id,
    'slow_rebalance' as kind,
    group_id as subject,
    'warning' as severity,
    concat(
        group_id, ' took ', format_number(slowest.duration_ms / 1000, 1), ' s to rebalance'
    ) as title,
    concat(
        {{ quantity("rebalances", "rebalance") }}, ' of 30 s or longer, the slowest to generation ', slowest.generation, ' at ',
        {{ utc("slowest.started_at") }},
        coalesce(
            concat(
                ': ', format_number(slowest.join_ms / 1000, 1), ' s until all had joined, ',
                format_number(slowest.sync_ms / 1000, 1), ' s until all had their partitions'
            ), ''
        )
    ) as evidence,
    if(
        paused_partition_ms is null,
        'Reading stood still for as long as no source tells',
        concat('Reading stood still for ', {{ partition_time("paused_partition_ms") }})
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when slowest.sync_ms > slowest.join_ms
            then 'Look at the leader, which computes the assignment, and at its way to the broker'
        else 'A member joins when it polls: let a batch end sooner (max.poll.records), or revoke faster'
    end as recommendation,
    if(
        avoidable_ms is null, 'All go on as soon as the last has joined',
        concat('Rebalances of 5 s would have stopped reading for ', {{ partition_time("avoidable_ms") }}, ' less')
    ) as expected_effect
from slow
