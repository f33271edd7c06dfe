-- one row per origin of log lines whose time nobody could read, and day of delivery
with

untimed as (
    select
        cluster,
        day,
        coalesce(origin, 'group_logs') as subject,
        count(*) as lines,
        count(distinct source_file) as files,
        min(source_file) as first_file
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and happened_at is null
    group by all
)

select
    cluster,
    day,
    '' as group_id,
    'untimed_lines' as kind,
    subject,
    'warning' as severity,
    concat({{ quantity("lines", "line") }}, ' about groups of ', subject, ' without a time that could be read') as title,
    concat('In ', {{ quantity("files", "file") }}, ', the first ', first_file) as evidence,
    'They tell no rebalance, no session and no cause' as cost,
    lines as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Describe the layout in [logs.patterns], its time as (?P<time>…), and run the day of delivery again' as recommendation,
    'They tell when groups rebalanced, and why' as expected_effect
from untimed
