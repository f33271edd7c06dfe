-- one row per group that has a position, commits or a finding, and day
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
        0 as findings,
        0 as points
    from {{ ref("commit_health") }}
    where {{ of_the_days() }}
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
        {{ of_the_days() }}
        and group_id != ''
    group by all
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
        findings,
        points
    from kinds
),

lags as (
    select
        cluster,
        day,
        group_id,
        max(lag_max) as lag_max
    from {{ ref("lag_health") }}
    where {{ of_the_days() }}
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
        sum(findings) as findings,
        sum(points) as points
    from told
    group by all
)

select
    summed.cluster,
    summed.day,
    summed.group_id,
    cast(null as string) as group_type,
    cast(null as string) as state,
    cast(null as bigint) as members,
    summed.topics,
    summed.partitions,
    cast(null as bigint) as rebalances,
    cast(null as bigint) as paused_partition_ms,
    summed.redelivered,
    summed.replay_window_p99,
    cast(null as bigint) as spread,
    lags.lag_max,
    summed.findings,
    cast(greatest(0, 100 - summed.points) as double) as score
from summed
left join lags
    on
        summed.cluster = lags.cluster
        and summed.day = lags.day
        and summed.group_id = lags.group_id
