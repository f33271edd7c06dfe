-- one row per event that explains the trouble of several groups, or deleted what a group needs, and day
with

incidents as (
    select * from {{ ref("broker_incidents") }}
    union all
    select * from {{ ref("deletions") }}
    union all
    select
        cluster,
        day,
        'exporter_silent' as kind,
        subject,
        started_at,
        ended_at,
        array('lag_metrics') as evidence
    from {{ ref("silent_exporters") }}
    where source = 'lag_metrics'
),

rebalances as (
    select
        cluster,
        group_id,
        {{ rebalance_time() }} as at,
        true as is_rebalance
    from {{ ref("rebalances") }}
    where {{ is_selected_day() }}
),

-- What members notice of their coordinator.
disturbances as (
    select
        cluster,
        group_id,
        happened_at as at,
        false as is_rebalance
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and group_id is not null
        and event in (
            'coordinator_lost', 'coordinator_not_found', 'commit_failed', 'auto_commit_failed', 'heartbeat_failed', 'join_failed',
            'sync_failed'
        )
    union all
    select * from rebalances
),

troubles as (
    select /*+ broadcast(incidents) */
        incidents.cluster,
        incidents.kind,
        incidents.subject,
        incidents.started_at,
        array_sort(collect_set(disturbances.group_id)) as group_ids,
        count_if(disturbances.is_rebalance) as rebalances
    from disturbances
    inner join incidents
        on
            disturbances.cluster = incidents.cluster
            and {{ is_within_incident("disturbances.at", "incidents") }}
    where incidents.kind in ('broker_restarted', 'coordinator_moved', 'partition_loaded')
    group by all
),

joined as (
    select
        incidents.*,
        if(
            incidents.kind in ('offsets_deleted', 'group_deleted'), array(incidents.subject),
            coalesce(troubles.group_ids, cast(array() as array<string>))
        ) as group_ids,
        coalesce(troubles.rebalances, 0) as rebalances
    from incidents
    left join troubles using (cluster, kind, subject, started_at)
)

select
    cluster,
    day,
    kind,
    subject,
    started_at,
    ended_at,
    group_ids,
    cast(size(group_ids) as bigint) as groups,
    rebalances,
    evidence
from joined
