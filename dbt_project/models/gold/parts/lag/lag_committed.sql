-- one row per partition on which a group committed, or has a position, and day with samples that sees it: that day and the
-- day after
with

sampled_days as (
    select * from {{ ref("lag_sampled") }}
),

partitions as (
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
    cluster,
    day,
    partitions.group_id,
    partitions.topic,
    partitions.partition_id
from partitions
left semi join sampled_days using (cluster, day)
group by all
