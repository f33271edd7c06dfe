-- one row per partition on which a group committed, or has a position, and day with samples that sees it: that day and the
-- day after
with

told as (
    select
        cluster,
        seen_on as day,
        group_id,
        topic,
        partition_id
    from {{ source("silver", "offset_commits") }}
        lateral view explode(array(day, date_add(day, 1))) as seen_on
    where
        {{ is_selected_or_previous_day() }}
        and {{ is_selected_day("seen_on") }}
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id
    from {{ source("silver", "positions") }}
    where {{ is_selected_day() }}
)

select
    told.cluster,
    told.day,
    told.group_id,
    told.topic,
    told.partition_id
from told
left semi join {{ ref("lag_sampled") }} as sampled
    on
        told.cluster = sampled.cluster
        and told.day = sampled.day
group by all
