-- one row per group that exists, has a position, commits, rebalances or a finding, and is not ignored, and day
with

groups as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(group_type, incarnation, generation, member_count, deleted_at, complete), coalesce(record_offset, -1)
        ) as state
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and incarnation > 0
    group by all
),

-- Where group records are delivered, a group without any only commits.
clusters_with_records as (
    select distinct
        cluster,
        day,
        true as has_records
    from groups
),

rebalance_frequency as (
    select *
    from {{ ref("rebalance_frequency") }}
    where {{ is_selected_day() }}
),

commits as (
    select
        cluster,
        day,
        group_id,
        count(distinct topic) as topics,
        count(*) as partitions,
        max(replay_window_p99) as replay_window_p99,
        bool_and(complete) as complete
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
    group by all
),

reprocessed as (
    select
        cluster,
        day,
        group_id,
        sum(reprocessed_at_least) as redelivered
    from {{ ref("read_starts") }}
    where {{ is_selected_day() }}
    group by all
),

lags as (
    select
        cluster,
        day,
        group_id,
        max(lag_max) as lag_max
    from {{ ref("lag_health") }}
    where {{ is_selected_day() }}
    group by all
),

-- The last generation with members whose assignment is known counts. It may be older than the day.
balances as (
    select
        groups.cluster,
        groups.day,
        groups.group_id,
        max_by(balances.spread, balances.generation) as spread
    from groups
    inner join {{ ref("assignor_balance") }} as balances
        on
            groups.cluster = balances.cluster
            and groups.group_id = balances.group_id
            and groups.state.incarnation = balances.incarnation
            and groups.state.generation >= balances.generation
            and groups.day >= balances.day
    where
        balances.spread is not null
        and ({{ is_selected_day("balances.day") }} or {{ is_neighbouring_day("balances.day") }})
    group by all
),

finding_kinds as (
    select
        cluster,
        day,
        group_id,
        kind,
        count(*) as findings,
        max(case severity when 'critical' then 40 when 'warning' then 15 else 3 end) as points
    from {{ ref("findings") }}
    where
        {{ is_selected_day() }}
        and group_id != ''
    group by all
),

findings as (
    select
        cluster,
        day,
        group_id,
        sum(findings) as findings,
        sum(points) as points
    from finding_kinds
    group by all
),

group_days as (
    select
        cluster,
        day,
        group_id
    from groups
    where state.deleted_at is null
    union
    select
        cluster,
        day,
        group_id
    from rebalance_frequency
    union
    select
        cluster,
        day,
        group_id
    from commits
    union
    select
        cluster,
        day,
        group_id
    from findings
),

joined as (
    select
        group_days.*,
        groups.state,
        clusters_with_records.has_records,
        rebalance_frequency.rebalances,
        rebalance_frequency.paused_partition_ms,
        rebalance_frequency.unobserved,
        coalesce(commits.topics, 0) as topics,
        coalesce(commits.partitions, 0) as partitions,
        coalesce(reprocessed.redelivered, 0) as redelivered,
        commits.replay_window_p99,
        commits.complete as commits_complete,
        lags.lag_max,
        balances.spread,
        coalesce(findings.findings, 0) as findings,
        coalesce(findings.points, 0) as points
    from group_days
    left join groups using (cluster, day, group_id)
    left join clusters_with_records using (cluster, day)
    left join rebalance_frequency using (cluster, day, group_id)
    left join commits using (cluster, day, group_id)
    left join reprocessed using (cluster, day, group_id)
    left join lags using (cluster, day, group_id)
    left join findings using (cluster, day, group_id)
    left join balances using (cluster, day, group_id)
    where not {{ is_ignored_group("group_days.group_id") }}
)

select
    cluster,
    day,
    group_id,
    if(state is null, if(has_records and partitions > 0, 'simple', null), state.group_type) as group_type,
    case
        when state.deleted_at is not null then 'deleted'
        when state.member_count > 0 then 'stable'
        when state.member_count = 0 then 'empty'
    end as state,
    cast(if(state.deleted_at is null, state.member_count, 0) as bigint) as members,
    topics,
    partitions,
    rebalances,
    paused_partition_ms,
    redelivered,
    replay_window_p99,
    cast(spread as bigint) as spread,
    lag_max,
    unobserved,
    case
        when not commits_complete or not state.complete or unobserved > 0 then false
        when commits_complete or state.complete then true
    end as complete,
    findings,
    cast(greatest(0, 100 - points) as double) as score
from joined
