-- one row per group that ever had a generation, and day: what it subscribed to, and since when
with

-- of each generation with members that was first written that day
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
        on
            members.cluster = written.cluster
            and members.day = written.day
            and members.group_id = written.group_id
            and members.incarnation = written.incarnation
            and members.generation = written.generation
            and members.group_type = written.group_type
    where {{ is_selected_day("members.day") }}
    group by
        members.cluster, members.day, members.group_id, members.incarnation, members.generation, members.group_type,
        written.recorded_at, written.record_offset
),

-- the day starts with what the one before left; where none did, nothing changed on a day without generations
starts as (
    select
        cluster,
        date_add(day, 1) as day,
        group_id,
        subscribed_topics as topics
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day("date_add(day, 1)") }}
        and generation is not null
),

ends as (
    select
        cluster,
        day,
        group_id,
        subscribed_topics as topics
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and generation is not null
),

unchanged as (
    select
        ends.cluster,
        ends.day,
        ends.group_id,
        ends.topics
    from ends
    left anti join generations
        on
            ends.cluster = generations.cluster
            and ends.day = generations.day
            and ends.group_id = generations.group_id
),

told as (
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
        struct(cast(day as timestamp) as since, cast(-1 as bigint) as record_offset, topics) as subscription
    from unchanged
    union all
    select
        starts.cluster,
        starts.day,
        starts.group_id,
        struct(cast(starts.day as timestamp) as since, cast(-2 as bigint) as record_offset, starts.topics) as subscription
    from starts
),

with_previous as (
    select
        cluster,
        day,
        group_id,
        subscription,
        lag(subscription) over (partition by cluster, day, group_id order by subscription) as previous
    from told
)

-- a group that rebalances all day long still asks for the same
select
    cluster,
    day,
    group_id,
    array_sort(collect_list(subscription)) as subscriptions
from with_previous
where previous is null or not subscription.topics <=> previous.topics
group by all
