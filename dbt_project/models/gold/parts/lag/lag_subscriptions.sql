-- one row per group that ever had a generation, day and change of its subscription
with

-- Generations with members that were first written that day.
generations as (
    select
        members.cluster,
        members.day,
        members.group_id,
        written.recorded_at as since,
        written.record_offset,
        if(
            bool_and(members.subscribed_topics is not null),
            array_sort(array_distinct(flatten(collect_list(members.subscribed_topics)))),
            null
        ) as topics
    from {{ source("silver", "group_members") }} as members
    inner join {{ source("silver", "group_generations") }} as written
        using (cluster, day, group_id, incarnation, generation, group_type)
    where {{ is_selected_day("members.day") }}
    group by
        members.cluster, members.day, members.group_id, members.incarnation, members.generation, members.group_type,
        written.recorded_at, written.record_offset
),

-- A day starts with the subscription that the group had when the day before ended.
starts as (
    select
        * except (day),
        date_add(day, 1) as day
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day("date_add(day, 1)") }}
        and generation is not null
),

ends as (
    select *
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and generation is not null
),

-- Without a generation the subscription did not change that day, even where the day before is missing.
unchanged as (
    select ends.*
    from ends
    left anti join generations using (cluster, day, group_id)
),

subscriptions as (
    select
        cluster,
        day,
        group_id,
        struct(since, record_offset, topics) as subscription
    from generations
    union all
    select
        cluster,
        day,
        group_id,
        struct(cast(day as timestamp) as since, -1L as record_offset, subscribed_topics as topics) as subscription
    from unchanged
    union all
    select
        cluster,
        day,
        group_id,
        struct(cast(day as timestamp) as since, -2L as record_offset, subscribed_topics as topics) as subscription
    from starts
),

previous_subscriptions as (
    select
        *,
        lag(subscription) over (partition by cluster, day, group_id order by subscription) as previous
    from subscriptions
),

-- Most rebalances change no topics. Before the first generation of its first day, the subscription of a group is unknown.
changes as (
    select
        cluster,
        day,
        group_id,
        concat(
            array(struct(cast(day as timestamp) as since, -3L as record_offset, cast(null as array<string>) as topics)),
            array_sort(collect_list(subscription))
        ) as changes
    from previous_subscriptions
    where previous is null or not subscription.topics <=> previous.topics
    group by all
)

select
    cluster,
    day,
    group_id,
    change.since,
    get(changes, place + 1).since as until,
    change.topics
from changes
    lateral view posexplode(changes) as place, change
