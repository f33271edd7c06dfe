-- one row per client that the broker refused with a fatal error when it tried to join its group, and day
with

failed_joins as (
    select *
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event = 'join_failed'
        and group_id is not null
        and text like '%fatal error: %'
        and text not like '%non-fatal error: %'
),

clients as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        count(*) as times,
        min_by(struct(happened_at, details['error'] as error), happened_at) as first_failure
    from failed_joins
    group by all
)

select
    cluster,
    day,
    group_id,
    'cannot_join' as kind,
    client_id as subject,
    'critical' as severity,
    concat(
        if(client_id = '', 'A consumer', concat('Consumer ', client_id)), ' could not join group ', group_id,
        ': the broker refused it'
    ) as title,
    concat(
        {{ quantity("times", "time") }}, ', first at ', {{ utc("first_failure.happened_at") }}, ': ',
        coalesce(first_failure.error, 'no reason was logged')
    ) as evidence,
    'The consumer stops with an error and reads nothing' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(1 as bigint) as cost_members,
    'Correct the setting or the permission that the error names, and restart the consumer' as recommendation,
    '1 more consumer that reads' as expected_effect
from clients
