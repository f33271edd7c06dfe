-- one row per cluster, source or origin that delivered records of the day, or fell silent on it, and day
with

-- The selected days, and the neighbouring days as they are: they see each other.
arrived as (
    select * from {{ ref("arrived_days") }}
    union all
    select
        cluster,
        level,
        source,
        origin,
        day,
        records,
        not_understood,
        last_hour,
        hourly_records,
        days_until_delivered,
        last_delivered_on,
        value_names
    from {{ this }}
    where
        {{ is_neighbouring_day() }}
        and records > 0
),

lake_days as (
    select
        day,
        max(last_hour) as last_hour,
        max(last_delivered_on) as last_delivered_on
    from arrived
    group by day
),

-- Each selected day with what came on it and on the 28 days before.
histories as (
    select
        lake_days.*,
        arrived.cluster,
        arrived.level,
        arrived.source,
        arrived.origin,
        max(struct(arrived.*)) filter (where arrived.day = lake_days.day) as today,
        max(arrived.day) filter (where arrived.day < lake_days.day) as day_before,
        min(arrived.last_hour) filter (where arrived.day < lake_days.day) as earliest_end,
        max(arrived.days_until_delivered) filter (where arrived.day < lake_days.day) as latest_delivery,
        count_if(datediff(lake_days.day, arrived.day) between 1 and 7) as days_of_last_week,
        collect_list(struct(arrived.*)) filter (where datediff(lake_days.day, arrived.day) in (7, 14, 21, 28)) as usual,
        array_distinct(flatten(collect_list(arrived.value_names) filter (where arrived.day < lake_days.day))) as known_values
    from lake_days
    inner join arrived on arrived.day between date_sub(lake_days.day, {{ look_back_days() }}) and lake_days.day
    where {{ is_day_in(selected_and_following_days(), "lake_days.day") }}
    group by all
),

-- The last hour may not be complete yet: only the hours before it are compared with those of other days.
compared as (
    select
        *,
        if(today.last_hour = 23, 24, today.last_hour) as hours,
        coalesce(max(if(level = 'source', today.last_hour, null)) over of_source, today.last_hour) as source_hour,
        coalesce(max(if(level = 'cluster', today, null)) over of_cluster, today) as cluster_today,
        coalesce(max(if(level = 'cluster', earliest_end, null)) over of_cluster, 23) as cluster_end
    from histories
    window
        of_cluster as (partition by day, cluster),
        of_source as (partition by day, cluster, source)
),

counted as (
    select
        *,
        {{ sum_of("slice(today.hourly_records, 1, hours)") }} as compared_records,
        transform(usual, each -> {{ sum_of("slice(each.hourly_records, 1, hours)") }}) as usual_counts,
        transform(usual, each -> each.not_understood / each.records) as usual_shares,
        if(source_hour = 23, 24, source_hour) as delivered_hours,
        coalesce(cluster_today.last_hour, last_hour) >= cluster_end as is_over,
        coalesce(cluster_today.last_delivered_on, last_delivered_on) as delivered_until,
        days_of_last_week = 7 or size(filter(usual, each -> datediff(day, each.day) <= 21)) = 3 as is_expected
    from compared
),

medians as (
    select
        *,
        {{ usual_median("usual_counts") }} as usual_records,
        {{ usual_median("usual_shares") }} as usual_share
    from counted
),

spreads as (
    select
        *,
        greatest(
            {{ usual_spread("usual_counts", "usual_records") }}, sqrt(usual_records), usual_records / 10
        ) as records_spread,
        usual_share * today.records as usual_not_understood,
        greatest(
            {{ usual_spread("usual_shares", "usual_share") }} * today.records, sqrt(usual_share * today.records), 1
        ) as not_understood_spread,
        filter(
            sequence(0, 23),
            hour
            -> hour < delivered_hours
            and size(usual) >= 3
            and today.hourly_records[hour] = 0
            and forall(usual, each -> each.hourly_records[hour] > 0)
        ) as empty_hours,
        case
            when today is not null and is_expected then false
            when today is null and is_expected and is_over
                then datediff(delivered_until, day_before) > latest_delivery
        end as is_silent
    from medians
),

-- Of what is silent or has a hole because a larger part has, only the larger part is reported.
widest as (
    select
        *,
        array_except(
            empty_hours,
            if(level = 'origin', coalesce(max(if(level = 'source', empty_hours, null)) over of_source, array()), array())
        ) as missing_hours,
        level != 'cluster' and coalesce(bool_or(is_silent and level = 'cluster') over of_cluster, false)
        or level = 'origin' and coalesce(bool_or(is_silent and level = 'source') over of_source, false) as is_explained
    from spreads
    window
        of_cluster as (partition by day, cluster),
        of_source as (partition by day, cluster, source)
)

select
    cluster,
    level,
    source,
    origin,
    day,
    coalesce(today.records, 0) as records,
    coalesce(today.not_understood, 0) as not_understood,
    today.last_hour,
    today.hourly_records,
    today.days_until_delivered,
    today.last_delivered_on,
    today.value_names,
    cast(size(usual) as int) as usual_days,
    hours as compared_hours,
    compared_records,
    if(level != 'cluster', usual_records, null) as usual_records,
    if(level != 'cluster', usual_records - {{ spreads_allowed() }} * records_spread, null) as fewest_records,
    if(level != 'cluster', usual_records + {{ spreads_allowed() }} * records_spread, null) as most_records,
    if(level != 'cluster', usual_not_understood, null) as usual_not_understood,
    if(
        level != 'cluster', usual_not_understood + {{ spreads_allowed() }} * not_understood_spread, null
    ) as most_not_understood,
    if(
        level != 'cluster' and today is not null and size(usual) >= 3 and delivered_hours > 0, missing_hours, null
    ) as missing_hours,
    is_silent,
    if(is_silent, date_add(day_before, 1), null) as silent_since,
    if(
        size(usual) >= 3 and today.value_names is not null,
        filter(
            usual[0].value_names,
            name
            -> forall(usual, each -> array_contains(each.value_names, name))
            and not array_contains(today.value_names, name)
        ), null
    ) as missing_values,
    if(
        size(usual) >= 3 and today.value_names is not null, array_except(today.value_names, known_values), null
    ) as new_values
from widest
where
    today is not null
    or is_silent and not is_explained
