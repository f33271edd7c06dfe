-- one row per end of a log that a reporter told, and day that sees it: the day it was told on and the day after
with

told as (
    select
        cluster,
        seen_on as day,
        topic,
        partition_id,
        reporter,
        sampled_at,
        log_start_offset,
        log_end_offset
    from {{ source("silver", "log_offsets") }}
        lateral view explode(array(day, date_add(day, 1))) as seen_on
    where
        {{ of_the_days_or_the_days_before() }}
        and {{ of_the_days("seen_on") }}
),

in_order as (
    select
        cluster,
        day,
        topic,
        partition_id,
        reporter,
        sampled_at,
        last(log_start_offset, true) over until_now as log_start_offset,
        log_end_offset,
        min(log_end_offset) over recently as lowest_recent_log_end_offset,
        lag(log_end_offset) ignore nulls over of_the_reporter as previous_log_end_offset
    from told
    window
        until_now as (partition by cluster, day, topic, partition_id order by sampled_at, reporter),
        recently as (
            partition by cluster, day, topic, partition_id
            order by sampled_at, reporter
            rows between {{ status_setting("WINDOW") | int - 1 }} preceding and current row
        ),
        of_the_reporter as (partition by cluster, day, topic, partition_id, reporter order by sampled_at)
)

-- an end that falls means a truncated log or a topic made again: what was told before is of another log
select
    cluster,
    day,
    topic,
    partition_id,
    reporter,
    sampled_at,
    log_start_offset,
    log_end_offset,
    lowest_recent_log_end_offset,
    count_if(log_end_offset < previous_log_end_offset) over (
        partition by cluster, day, topic, partition_id, reporter order by sampled_at
    ) as falls
from in_order
