-- One row per session of a member, and per rebalance.
with members as (
    select
        'member' as kind,
        coalesce(instance_id, client_id, member_id) as lane,
        joined_at as started_at,
        ended_at,
        ended_by as state,
        member_id as label
    from gold.member_sessions
    where cluster = :cluster and day = :day and group_id = :group_id
),
rebalances as (
    select
        'rebalance' as kind,
        'rebalances' as lane,
        started_at,
        completed_at as ended_at,
        reason as state,
        concat('generation ', generation, ', ', members_before, ' to ', members_after, ' members') as label
    from gold.rebalances
    where cluster = :cluster and day = :day and group_id = :group_id
)
select kind, lane, started_at, ended_at, state, label from rebalances
union all
select kind, lane, started_at, ended_at, state, label from members
order by started_at, lane
