-- one row per end of a log with positions that a reporter told, and day that sees it: the day it was told on and the day after
with

told as (
    select
        cluster,
        seen_on as day,
        topic,
        partition_id,
        reporter,
        sampled_at,
        log_end_offset
    from {{ source("silver", "log_offsets") }}
        lateral view explode(array(day, date_add(day, 1))) as seen_on
    where
        {{ is_selected_or_previous_day() }}
        and {{ is_selected_day("seen_on") }}
),

-- of the others nobody asks
of_positions as (
    select
        told.cluster,
        told.day,
        told.topic,
        told.partition_id,
        told.reporter,
        told.sampled_at,
        told.log_end_offset
    from told
    left semi join {{ ref("lag_committed") }} as committed
        on
            told.cluster = committed.cluster
            and told.day = committed.day
            and told.topic = committed.topic
            and told.partition_id = committed.partition_id
)

select
    cluster,
    day,
    topic,
    partition_id,
    reporter,
    sampled_at,
    log_end_offset,
    min(log_end_offset) over (
        partition by cluster, day, topic, partition_id
        order by sampled_at, reporter
        rows between {{ status_setting("WINDOW") | int - 1 }} preceding and current row
    ) as lowest_recent_log_end_offset
from of_positions
