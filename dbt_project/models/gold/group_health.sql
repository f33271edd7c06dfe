-- one row per group that stands, has a position, commits, rebalances or a finding, and day
with

commits as (
    select
        cluster,
        day,
        group_id,
        count(distinct topic) as topics,
        count(*) as partitions,
        sum(redelivered) as redelivered,
        max(replay_window_p99) as replay_window_p99,
        bool_and(complete) as complete,
        0 as findings,
        0 as points
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
    group by all
),

kinds as (
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

groups as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(group_type, incarnation, generation, member_count, deleted_at, complete), coalesce(record_offset, -1)
        ) as stands
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and incarnation > 0
    group by all
),

-- Where group records are delivered, a group that has none only commits.
recorded as (
    select distinct
        cluster,
        day
    from groups
),

rebalanced as (
    select
        cluster,
        day,
        group_id,
        rebalances,
        unobserved,
        paused_partition_ms
    from {{ ref("rebalance_frequency") }}
    where {{ is_selected_day() }}
),

balances as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        spread
    from {{ ref("assignor_balance") }}
    where
        {{ is_selected_day() }}
        or {{ is_neighbouring_day() }}
),

told as (
    select
        cluster,
        day,
        group_id,
        topics,
        partitions,
        redelivered,
        replay_window_p99,
        complete,
        findings,
        points
    from commits
    union all
    select
        cluster,
        day,
        group_id,
        0 as topics,
        0 as partitions,
        0 as redelivered,
        null as replay_window_p99,
        null as complete,
        findings,
        points
    from kinds
    union all
    select
        cluster,
        day,
        group_id,
        0 as topics,
        0 as partitions,
        0 as redelivered,
        null as replay_window_p99,
        null as complete,
        0 as findings,
        0 as points
    from groups
    where stands.deleted_at is null
    union all
    select
        cluster,
        day,
        group_id,
        0 as topics,
        0 as partitions,
        0 as redelivered,
        null as replay_window_p99,
        null as complete,
        0 as findings,
        0 as points
    from rebalanced
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

summed as (
    select
        cluster,
        day,
        group_id,
        sum(topics) as topics,
        sum(partitions) as partitions,
        sum(redelivered) as redelivered,
        max(replay_window_p99) as replay_window_p99,
        bool_and(complete) as complete,
        sum(findings) as findings,
        sum(points) as points
    from told
    group by all
)

select
    summed.cluster,
    summed.day,
    summed.group_id,
    case
        when groups.stands is not null then groups.stands.group_type
        when recorded.cluster is not null and summed.partitions > 0 then 'simple'
    end as group_type,
    case
        when groups.stands.deleted_at is not null then 'deleted'
        when groups.stands.member_count > 0 then 'stable'
        when groups.stands.member_count = 0 then 'empty'
    end as state,
    cast(if(groups.stands.deleted_at is null, groups.stands.member_count, 0) as bigint) as members,
    summed.topics,
    summed.partitions,
    rebalanced.rebalances,
    rebalanced.paused_partition_ms,
    summed.redelivered,
    summed.replay_window_p99,
    cast(balances.spread as bigint) as spread,
    lags.lag_max,
    rebalanced.unobserved,
    case
        when not summed.complete or not groups.stands.complete or rebalanced.unobserved > 0 then false
        when summed.complete or groups.stands.complete then true
    end as complete,
    summed.findings,
    cast(greatest(0, 100 - summed.points) as double) as score
from summed
left join lags
    on
        summed.cluster = lags.cluster
        and summed.day = lags.day
        and summed.group_id = lags.group_id
left join groups
    on
        summed.cluster = groups.cluster
        and summed.day = groups.day
        and summed.group_id = groups.group_id
left join recorded
    on
        summed.cluster = recorded.cluster
        and summed.day = recorded.day
left join rebalanced
    on
        summed.cluster = rebalanced.cluster
        and summed.day = rebalanced.day
        and summed.group_id = rebalanced.group_id
left join balances
    on
        summed.cluster = balances.cluster
        and summed.group_id = balances.group_id
        and groups.stands.incarnation = balances.incarnation
        and groups.stands.generation = balances.generation
