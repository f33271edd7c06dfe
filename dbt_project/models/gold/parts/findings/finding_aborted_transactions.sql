-- one row per group of which transactions with positions were aborted, and day
with

aborted as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as place,
        producer_id,
        committed_at,
        committed_offset,
        -- What was read since the position that still counts was read for nothing.
        if(committed_offset < previous_committed_offset, 0, committed_offset - previous_committed_offset) as records
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and transaction = 'aborted'
),

by_group as (
    select
        cluster,
        day,
        group_id,
        count(*) as commits,
        count(distinct producer_id) as producers,
        min_by(struct(place, committed_offset, committed_at), committed_at) as first,
        sum(records) as records
    from aborted
    group by all
)

select
    cluster,
    day,
    group_id,
    'aborted_transactions' as kind,
    group_id as subject,
    'info' as severity,
    concat('Aborted transactions of ', group_id, ' took back ', {{ quantity("commits", "position") }}) as title,
    concat(
        'The first: ', first.committed_offset, ' on ', first.place, ' at ', {{ utc("first.committed_at") }}, '; ',
        {{ quantity("producers", "producer") }}
    ) as evidence,
    coalesce(
        concat(if(records = 0, 'No record', {{ quantity("records", "record") }}), ' processed for nothing, and read again'),
        'What was processed since the position before is read again'
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Nothing, if the application aborts on purpose; else find what fails in its transactions' as recommendation,
    coalesce(
        concat({{ quantity("records", "record") }}, ' fewer to process twice on a day like this'), 'No work done twice'
    ) as expected_effect
from by_group
