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
    cluster,
    day,
    group_id,
    cast(null as string) as group_type,
    cast(null as string) as state,
    cast(null as bigint) as members,
    topics,
    partitions,
    cast(null as bigint) as rebalances,
    cast(null as bigint) as paused_partition_ms,
    redelivered,
    replay_window_p99,
    cast(null as bigint) as spread,
    cast(null as bigint) as lag_max,
    findings,
    cast(greatest(0, 100 - points) as double) as score
from summed
