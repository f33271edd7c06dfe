-- one row per origin of log lines with an unreadable timestamp, and day of delivery
with

untimed_lines as (
    select
        *,
        coalesce(origin, 'group_logs') as subject
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and happened_at is null
),

origins as (
    select
        cluster,
        day,
        subject,
        count(*) as lines,
        count(distinct source_file) as files,
        min(source_file) as first_file
    from untimed_lines
    group by all
)

select
    cluster,
    day,
    '' as group_id,
    'untimed_lines' as kind,
    subject,
    'warning' as severity,
    concat(
        {{ quantity("lines", "line") }}, ' about groups from ', subject, if(lines = 1, ' has', ' have'), ' no readable timestamp'
    ) as title,
    concat('In ', {{ quantity("files", "file") }}, ', the first ', first_file) as evidence,
    'They are used for no rebalance, no session and no cause' as cost,
    lines as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Describe the layout in [logs.patterns], its timestamp as (?P<time>…), and run the day of delivery again' as recommendation,
    'They show when groups rebalanced, and why' as expected_effect
from origins
