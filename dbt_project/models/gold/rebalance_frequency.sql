-- one row per group that is there, and day
with

rebalanced as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        reason,
        hour(coalesce(started_at, completed_at)) as hour,
        duration_ms,
        paused_partition_ms,
        unobserved_before,
        in_storm,
        in_storm
        and not coalesce(
            lag(in_storm) over (partition by cluster, day, group_id order by coalesce(started_at, completed_at)), false
        ) as begins_a_storm
    from {{ ref("rebalances") }}
    where {{ of_the_days() }}
),

by_hour as (
    select
        cluster,
        day,
        group_id,
        hour,
        count(*) as rebalances
    from rebalanced
    group by all
),

busiest as (
    select
        cluster,
        day,
        group_id,
        max(rebalances) as busiest_hour_rebalances
    from by_hour
    group by all
),

by_reason as (
    select
        cluster,
        day,
        group_id,
        reason,
        count(*) as rebalances
    from rebalanced
    group by all
),

reasons as (
    select
        cluster,
        day,
        group_id,
        map_from_entries(sort_array(collect_list(struct(reason, rebalances)))) as by_reason
    from by_reason
    group by all
),

of_the_day as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        sum(unobserved_before) as unobserved,
        sum(duration_ms) as total_duration_ms,
        sum(paused_partition_ms) as paused_partition_ms,
        count_if(begins_a_storm) as storms
    from rebalanced
    group by all
),

-- A group is there on each day at whose end it stands, or on which it rebalanced.
there as (
    select
        cluster,
        day,
        group_id
    from {{ source("silver", "groups") }}
    where
        ({{ of_the_days() }} or {{ about_the_days() }})
        and deleted_at is null
        and incarnation > 0
    union
    select
        cluster,
        day,
        group_id
    from {{ ref("rebalances") }}
    where {{ of_the_days() }} or {{ about_the_days() }}
),

counted as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances
    from {{ ref("rebalances") }}
    where {{ of_the_days() }} or {{ about_the_days() }}
    group by all
),

history as (
    select
        there.cluster,
        there.day,
        there.group_id,
        coalesce(counted.rebalances, 0) as rebalances
    from there
    left join counted
        on
            there.cluster = counted.cluster
            and there.day = counted.day
            and there.group_id = counted.group_id
),

with_usual as (
    select
        cluster,
        day,
        group_id,
        rebalances,
        avg(rebalances) over (
            partition by cluster, group_id
            order by datediff(day, date '2020-01-01')
            range between {{ look_back() }} preceding and 1 preceding
        ) as usual_rebalances
    from history
)

select
    with_usual.cluster,
    with_usual.day,
    with_usual.group_id,
    with_usual.rebalances,
    of_the_day.unobserved,
    coalesce(reasons.by_reason, from_json('{}', 'map<string,bigint>')) as by_reason,
    coalesce(busiest.busiest_hour_rebalances, 0) as busiest_hour_rebalances,
    of_the_day.total_duration_ms,
    of_the_day.paused_partition_ms,
    coalesce(of_the_day.storms, 0) as storms,
    with_usual.usual_rebalances,
    with_usual.rebalances / nullif(with_usual.usual_rebalances, 0) as times_usual
from with_usual
left join of_the_day
    on
        with_usual.cluster = of_the_day.cluster
        and with_usual.day = of_the_day.day
        and with_usual.group_id = of_the_day.group_id
left join reasons
    on
        with_usual.cluster = reasons.cluster
        and with_usual.day = reasons.day
        and with_usual.group_id = reasons.group_id
left join busiest
    on
        with_usual.cluster = busiest.cluster
        and with_usual.day = busiest.day
        and with_usual.group_id = busiest.group_id
where {{ of_the_days("with_usual.day") }}
