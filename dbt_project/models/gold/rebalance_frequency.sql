-- one row per group that exists when the day ends, or that rebalanced on it, and day
with

rebalances as (
    select
        *,
        {{ rebalance_time() }} as rebalanced_at
    from {{ ref("rebalances") }}
    where {{ is_selected_day() }}
),

storm_starts as (
    select
        *,
        in_storm
        and not coalesce(
            lag(in_storm) over by_time
            and lag(rebalanced_at) over by_time + interval {{ storm_minutes() }} minutes >= rebalanced_at,
            false
        ) as starts_a_storm
    from rebalances
    window by_time as (partition by cluster, day, group_id order by rebalanced_at)
),

days as (
    select
        cluster,
        day,
        group_id,
        count(*) as rebalances,
        sum(unobserved_before) as unobserved,
        sum(duration_ms) as total_duration_ms,
        sum(paused_partition_ms) as paused_partition_ms,
        count_if(starts_a_storm) as storms
    from storm_starts
    group by all
),

hours as (
    select
        cluster,
        day,
        group_id,
        hour(rebalanced_at) as hour,
        count(*) as rebalances
    from rebalances
    group by all
),

busiest_hours as (
    select
        cluster,
        day,
        group_id,
        max(rebalances) as busiest_hour_rebalances
    from hours
    group by all
),

reasons as (
    select
        cluster,
        day,
        group_id,
        reason,
        count(*) as rebalances
    from rebalances
    group by all
),

reason_counts as (
    select
        cluster,
        day,
        group_id,
        map_from_entries(sort_array(collect_list(struct(reason, rebalances)))) as by_reason
    from reasons
    group by all
),

groups as (
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
    from days
),

-- The selected days, and the neighbouring days as they are: they see each other.
frequencies as (
    select
        cluster,
        day,
        group_id,
        coalesce(days.rebalances, 0) as rebalances,
        days.unobserved,
        coalesce(reason_counts.by_reason, from_json('{}', 'map<string,bigint>')) as by_reason,
        coalesce(busiest_hours.busiest_hour_rebalances, 0) as busiest_hour_rebalances,
        days.total_duration_ms,
        days.paused_partition_ms,
        coalesce(days.storms, 0) as storms
    from groups
    left join days using (cluster, day, group_id)
    left join reason_counts using (cluster, day, group_id)
    left join busiest_hours using (cluster, day, group_id)
    union all
    select * except (usual_rebalances, times_usual)
    from {{ this }}
    where {{ is_neighbouring_day() }}
),

usual_frequencies as (
    select
        *,
        avg(rebalances) over (
            partition by cluster, group_id
            order by datediff(day, date '2020-01-01')
            range between {{ look_back_days() }} preceding and 1 preceding
        ) as usual_rebalances
    from frequencies
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
from usual_frequencies
where {{ is_day_in(selected_and_following_days()) }}
