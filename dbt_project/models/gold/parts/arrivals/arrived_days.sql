-- one row per cluster, source or origin with records, and day: how many of each hour
with

-- A file contains rows of several event days. One without any rows counts under its day of delivery.
deliveries as (
    select
        cluster,
        source,
        origin,
        explode_outer(array_distinct(transform(tells, counted -> counted.day))) as event_day,
        delivered_on
    from {{ source("bronze", "files") }}
    where {{ is_selected_delivery() }}
),

delivery_days as (
    select
        cluster,
        source,
        origin,
        coalesce(event_day, delivered_on) as day,
        min(delivered_on) as first_delivered_on,
        max(delivered_on) as last_delivered_on
    from deliveries
    group by all
),

hours as (
    select
        cluster,
        case
            when grouping(source) = 1 then 'cluster'
            when grouping(origin) = 1 then 'source'
            else 'origin'
        end as level,
        source,
        origin,
        day,
        hour,
        sum(records) as records,
        sum(not_understood) as not_understood
    from {{ ref("coverage") }}
    where {{ is_selected_day() }}
    group by grouping sets ((cluster, day, hour), (cluster, source, day, hour), (cluster, source, origin, day, hour))
),

days as (
    select
        cluster,
        level,
        source,
        origin,
        day,
        sum(records) as records,
        sum(not_understood) as not_understood,
        max(if(records > 0, hour, null)) as last_hour,
        map_from_entries(
            coalesce(collect_list(struct(hour, records)) filter (where hour is not null), array())
        ) as records_by_hour
    from hours
    where level != 'origin' or origin is not null
    group by all
),

delivered as (
    select
        cluster,
        case
            when grouping(source) = 1 then 'cluster'
            when grouping(origin) = 1 then 'source'
            else 'origin'
        end as level,
        source,
        origin,
        day,
        min(first_delivered_on) as first_delivered_on,
        max(last_delivered_on) as last_delivered_on
    from delivery_days
    group by grouping sets ((cluster, day), (cluster, source, day), (cluster, source, origin, day))
),

reported_values as (
    select
        *,
        'lag_metrics' as source,
        if(origin is null, 'source', 'origin') as level
    from {{ ref("reported_values") }}
)

select
    days.cluster,
    days.level,
    days.source,
    days.origin,
    days.day,
    days.records,
    days.not_understood,
    days.last_hour,
    transform(sequence(0, 23), hour -> coalesce(try_element_at(days.records_by_hour, hour), 0)) as hourly_records,
    greatest(datediff(delivered.first_delivered_on, days.day), 0) as days_until_delivered,
    delivered.last_delivered_on,
    reported_values.value_names
from days
left join delivered
    on
        days.cluster = delivered.cluster
        and days.level = delivered.level
        and days.source is not distinct from delivered.source
        and days.origin is not distinct from delivered.origin
        and days.day = delivered.day
left join reported_values
    on
        days.cluster = reported_values.cluster
        and days.level = reported_values.level
        and days.source is not distinct from reported_values.source
        and days.origin is not distinct from reported_values.origin
        and days.day = reported_values.day
where days.records > 0
