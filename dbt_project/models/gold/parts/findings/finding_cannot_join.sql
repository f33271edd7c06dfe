-- one row per client that was refused for good when it wanted to join, and day
with

refused as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        count(*) as times,
        min_by(struct(happened_at, details['error'] as error), happened_at) as first
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event = 'join_failed'
        and group_id is not null
        and text like '%fatal error: %'
        and text not like '%non-fatal error: %'
    group by all
)

select
    cluster,
    day,
    group_id,
    'cannot_join' as kind,
    client_id as subject,
    'critical' as severity,
    concat(if(client_id = '', 'A consumer', client_id), ' of ', group_id, ' could not join: the broker refused it') as title,
    concat(
        {{ quantity("times", "time") }}, ', first at ', {{ utc("first.happened_at") }}, ': ',
        coalesce(first.error, 'no reason told')
    ) as evidence,
    'The consumer stops with an error and reads nothing' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(1 as bigint) as cost_members,
    'Change the setting or the right that the error names, and start it again' as recommendation,
    '1 consumer more that reads' as expected_effect
from refused
