-- one row per restart of a broker, move of coordinators, or load of partitions of __consumer_offsets, and day
with

-- A start is a restart if the broker had logged something before.
broker_lines as (
    select
        *,
        coalesce(details['broker_id'], origin, '') as broker,
        lag(struct(happened_at, event)) over (
            partition by cluster, coalesce(details['broker_id'], origin, '') order by happened_at
        ) as line_before
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and side = 'broker'
        and event != 'broker_configured'
        and happened_at is not null
),

starts as (
    select
        cluster,
        day,
        broker,
        happened_at as up_at,
        line_before.happened_at as last_line_at,
        if(line_before.event = 'coordinator_stopped', line_before.happened_at, null) as stopped_at,
        lead(happened_at) over (partition by cluster, broker order by happened_at) as next_up_at
    from broker_lines
    where
        {{ is_selected_day() }}
        and event = 'coordinator_started'
        and line_before.happened_at >= timestamp(day) - interval 1 day
),

-- Before it stops, a broker resigns as coordinator.
stops as (
    select *
    from broker_lines
    where
        {{ is_selected_day() }}
        and event = 'coordinator_stopped'
),

-- Coordinators become other ones, or load their partitions again.
coordinator_changes as (
    select
        *,
        coalesce(
            nullif(regexp_extract(text, r'__consumer_offsets(?:-| partition=)(\d+)', 1), ''),
            nullif(regexp_extract(text, r'coordinator for partition (\d+)', 1), '')
        ) as offsets_partition,
        event = 'partition_loaded' as is_load
    from broker_lines
    where
        {{ is_selected_day() }}
        and event in (
            'coordinator_elected', 'coordinator_resigned', 'partition_loaded', 'partition_unloaded', 'coordinator_moved'
        )
        -- The first load of a new partition of the log: no group is in it.
        and not coalesce(details['coordinator_epoch'] = '0' or details['record_count'] = '0', false)
),

-- Clients notice first that a broker is away.
losses as (
    select
        cluster,
        happened_at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and side = 'client'
        and event = 'coordinator_lost'
        and happened_at is not null
),

first_losses as (
    select
        starts.cluster,
        starts.broker,
        starts.up_at,
        min(losses.happened_at) as lost_at
    from starts
    inner join losses
        on
            starts.cluster = losses.cluster
            and losses.happened_at between greatest(starts.last_line_at, starts.up_at - interval 10 minutes) and starts.up_at
    group by all
),

last_loads as (
    select
        starts.cluster,
        starts.broker,
        starts.up_at,
        max(changes.happened_at) filter (where changes.is_load) as loaded_at
    from starts
    inner join coordinator_changes as changes
        on
            starts.cluster = changes.cluster
            and starts.broker = changes.broker
            and changes.happened_at between starts.up_at
            and least(starts.up_at + interval 5 minutes, coalesce(starts.next_up_at, starts.up_at + interval 5 minutes))
    group by all
),

restarts as (
    select
        starts.*,
        coalesce(starts.stopped_at, first_losses.lost_at, starts.up_at) as started_at,
        coalesce(last_loads.loaded_at, starts.up_at) as ended_at,
        if(first_losses.lost_at is null, array('broker_log'), array('broker_log', 'client_log')) as evidence
    from starts
    left join first_losses using (cluster, broker, up_at)
    left join last_loads using (cluster, broker, up_at)
),

other_changes as (
    select
        coordinator_changes.*,
        coalesce(
            coordinator_changes.happened_at > lag(coordinator_changes.happened_at) over by_time + interval 1 minute, true
        ) as begins
    from coordinator_changes
    left anti join stops
        on
            coordinator_changes.cluster = stops.cluster
            and coordinator_changes.broker = stops.broker
            and coordinator_changes.happened_at between stops.happened_at - interval 1 minute and stops.happened_at
    left anti join restarts
        on
            coordinator_changes.cluster = restarts.cluster
            and coordinator_changes.broker = restarts.broker
            and coordinator_changes.happened_at between restarts.started_at - interval 1 minute and restarts.ended_at
    window by_time as (
        partition by coordinator_changes.cluster, coordinator_changes.day order by coordinator_changes.happened_at
    )
),

numbered_changes as (
    select
        *,
        count_if(begins) over (partition by cluster, day order by happened_at) as number
    from other_changes
),

changes as (
    select
        cluster,
        day,
        number,
        if(bool_and(is_load), 'partition_loaded', 'coordinator_moved') as kind,
        array_sort(collect_set(offsets_partition)) as partitions,
        min(happened_at) as started_at,
        max(happened_at) as ended_at
    from numbered_changes
    group by all
)

select
    cluster,
    day,
    'broker_restarted' as kind,
    concat('broker ', broker) as subject,
    started_at,
    ended_at,
    evidence
from restarts
union all
select
    cluster,
    day,
    kind,
    if(
        size(partitions) between 1 and 3,
        array_join(transform(partitions, number -> concat('__consumer_offsets-', number)), ', '),
        concat(size(partitions), ' partitions of __consumer_offsets')
    ) as subject,
    started_at,
    ended_at,
    array('broker_log') as evidence
from changes
