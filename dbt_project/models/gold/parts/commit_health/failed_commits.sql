-- one row per group about which clients logged something, and day: the partitions whose commits failed, once for each time
select
    cluster,
    day,
    group_id,
    collect_list(details['topic_partition']) filter (
        where event in ('commit_failed', 'auto_commit_failed')
    ) as failed_on
from {{ source("silver", "group_events") }}
where
    {{ is_selected_day() }}
    and side = 'client'
    and group_id is not null
group by all
