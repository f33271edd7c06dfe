-- one row per storm of a group, and day; rebalances that an incident explains are no part of it
with

incidents as (
    {{ coordinator_incidents() }}
),

rebalances as (
    select
        *,
        {{ rebalance_time() }} as at,
        coalesce(completed_at, {{ rebalance_time() }}) as until
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and in_storm
),

storm_starts as (
    select
        rebalances.*,
        coalesce(
            rebalances.at > lag(rebalances.at) over by_time + interval {{ storm_minutes() }} minutes, true
        ) as starts_a_storm
    from rebalances
    left anti join incidents
        on
            rebalances.cluster = incidents.cluster
            and rebalances.group_id = incidents.group_id
            and {{ is_within_incident("rebalances.at", "incidents") }}
    window by_time as (partition by rebalances.cluster, rebalances.day, rebalances.group_id order by rebalances.at)
),

storm_rebalances as (
    select
        *,
        count_if(starts_a_storm) over (partition by cluster, day, group_id order by at) as storm
    from storm_starts
),

storms as (
    select
        cluster,
        day,
        group_id,
        storm,
        count(*) as rebalances,
        min(at) as since,
        max(until) as until,
        mode(reason) as reason,
        5 * count_if(reason = 'poll_interval') >= count(*) as is_by_polls,
        5 * count_if(reason in ('session_timeout', 'rebalance_timeout')) >= count(*) as is_by_evictions,
        5 * count_if(reason = 'enforced') >= count(*) as is_enforced,
        -- Members that start or stop one after the other within two minutes are a deployment.
        sum(coalesce(paused_partition_ms, paused_partition_ms_at_most, 0)) < 60000
        and max(until) <= min(at) + interval 2 minutes
        and bool_and(reason in ('member_joined', 'member_left', 'partitions_revoked', 'leader_rejoined', 'unknown'))
            as is_deployment,
        sum(coalesce(paused_partition_ms, paused_partition_ms_at_most)) as paused_partition_ms,
        bool_or(paused_partition_ms is null) as is_bound,
        count(distinct trigger_client_id) as clients,
        min(trigger_client_id) as client_id
    from storm_rebalances
    group by all
    having rebalances >= {{ storm_rebalances() }}
),

endings as (
    select
        cluster,
        day,
        group_id,
        bool_or(ended_by = 'poll_interval') as has_polls,
        bool_or(ended_by in ('session_timeout', 'rebalance_timeout')) as has_evictions
    from {{ ref("member_sessions") }}
    where {{ is_selected_day() }}
    group by all
)

-- Members that come back also join and leave. If one reason in five is more specific, it shows what the storm is about.
select
    storms.*,
    case
        when storms.is_by_polls and endings.has_polls then 'poll_interval'
        when storms.is_by_evictions and endings.has_evictions then 'evicted'
    end as part_of
from storms
left join endings using (cluster, day, group_id)
