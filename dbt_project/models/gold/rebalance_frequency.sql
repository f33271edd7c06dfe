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
            lag(in_storm) over in_order
            and lag(coalesce(started_at, completed_at)) over in_order + interval {{ storm_minutes() }} minutes
            >= coalesce(started_at, completed_at),
            false
        ) as begins_a_storm
    from {{ ref("rebalances") }}
    where {{ is_selected_day() }}
    window in_order as (partition by cluster, day, group_id order by coalesce(started_at, completed_at))
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
        {{ is_selected_day() }}
        and deleted_at is null
        and incarnation > 0
    union
    select
        cluster,
        day,
        group_id
    from of_the_day
),

seen as (
    select
        there.cluster,
        there.day,
        there.group_id,
        coalesce(of_the_day.rebalances, 0) as rebalances,
        of_the_day.unobserved,
        coalesce(reasons.by_reason, from_json('{}', 'map<string,bigint>')) as by_reason,
        coalesce(busiest.busiest_hour_rebalances, 0) as busiest_hour_rebalances,
        of_the_day.total_duration_ms,
        of_the_day.paused_partition_ms,
        coalesce(of_the_day.storms, 0) as storms
    from there
    left join of_the_day
        on
            there.cluster = of_the_day.cluster
            and there.day = of_the_day.day
            and there.group_id = of_the_day.group_id
    left join reasons
        on
            there.cluster = reasons.cluster
            and there.day = reasons.day
            and there.group_id = reasons.group_id
    left join busiest
        on
            there.cluster = busiest.cluster
            and there.day = busiest.day
            and there.group_id = busiest.group_id
    union all
    -- the days about these, which are not made again but seen before and after
    select
        cluster,
        day,
        group_id,
        rebalances,
        unobserved,
        by_reason,
        busiest_hour_rebalances,
        total_duration_ms,
        paused_partition_ms,
        storms
    from {{ this }}
    where {{ is_neighbouring_day() }}
),

with_usual as (
    select
        cluster,
        day,
        group_id,
        rebalances,
        unobserved,
        by_reason,
        busiest_hour_rebalances,
        total_duration_ms,
        paused_partition_ms,
        storms,
        avg(rebalances) over (
            partition by cluster, group_id
            order by datediff(day, date '2020-01-01')
            range between {{ look_back_days() }} preceding and 1 preceding
        ) as usual_rebalances
    from seen
)

select
    cluster,
    day,
    group_id,
    rebalances,
    unobserved,
    by_reason,
    busiest_hour_rebalances,
    total_duration_ms,
    paused_partition_ms,
    storms,
    usual_rebalances,
    rebalances / nullif(usual_rebalances, 0) as times_usual
from with_usual
where {{ is_day_in(selected_and_following_days()) }}
