-- one row per reported end of a log with positions, and day that sees it: the day of the report and the day after
with

log_ends as (
    select
        * except (day),
        seen_on as day
    from {{ source("silver", "log_offsets") }}
        lateral view explode(array(day, date_add(day, 1))) as seen_on
    where
        {{ is_selected_or_previous_day() }}
        and {{ is_selected_day("seen_on") }}
),

committed_log_ends as (
    select log_ends.*
    from log_ends
    left semi join {{ ref("lag_committed") }} using (cluster, day, topic, partition_id)
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
from committed_log_ends
