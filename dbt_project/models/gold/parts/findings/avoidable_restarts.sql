-- one row per session after which a dynamic member came back so soon that static membership would have spared others a rebalance
with

incidents as (
    {{ coordinator_incidents() }}
),

sessions as (
    select
        *,
        coalesce(client_id, member_id) as client
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and (ended_at is null or ended_at > joined_at)
),

restarts as (
    select *
    from sessions
    where static_membership = 'would have spared'
),

-- Others must have been members meanwhile, or nobody was disturbed. Where another one has the same client id at that time,
-- several processes share it, and who came back is unknown.
company as (
    select
        restarts.cluster,
        restarts.group_id,
        restarts.member_id,
        restarts.joined_at,
        bool_or(others.client_id <=> restarts.client_id) as shares_client_id
    from restarts
    inner join sessions as others
        on
            restarts.cluster = others.cluster
            and restarts.group_id = others.group_id
            and restarts.member_id != others.member_id
            and restarts.ended_at > others.joined_at
            and coalesce(restarts.ended_at < others.ended_at, true)
    group by all
),

explained_restarts as (
    select
        restarts.cluster,
        restarts.group_id,
        restarts.member_id,
        restarts.joined_at
    from restarts
    inner join incidents
        on
            restarts.cluster = incidents.cluster
            and restarts.group_id = incidents.group_id
            and {{ is_within_incident("restarts.ended_at", "incidents") }}
)

select
    cluster,
    restarts.day,
    group_id,
    member_id,
    joined_at,
    restarts.client_id,
    restarts.client_host,
    restarts.client,
    restarts.ended_at,
    restarts.back_after_ms,
    restarts.rebalances,
    restarts.paused_partition_ms
from restarts
inner join company using (cluster, group_id, member_id, joined_at)
left anti join explained_restarts using (cluster, group_id, member_id, joined_at)
where not company.shares_client_id
