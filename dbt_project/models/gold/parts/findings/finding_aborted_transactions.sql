-- one row per group with committed offsets in aborted transactions, and day
with

aborted_commits as (
    select
        *,
        -- Records since the position that still counts were processed in vain.
        if(committed_offset < previous_committed_offset, 0, committed_offset - previous_committed_offset) as records
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and transaction = 'aborted'
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as commits,
        count(distinct producer_id) as producers,
        min_by(
            struct({{ topic_partition() }} as topic_partition, committed_offset, committed_at), committed_at
        ) as first_commit,
        sum(records) as records
    from aborted_commits
    group by all
)

select
    cluster,
    day,
    group_id,
    'aborted_transactions' as kind,
    group_id as subject,
    'info' as severity,
    concat('Aborted transactions discarded ', {{ quantity("commits", "offset commit") }}, ' of group ', group_id) as title,
    concat(
        'First aborted commit: offset ', first_commit.committed_offset, ' on ', first_commit.topic_partition, ' at ',
        {{ utc("first_commit.committed_at") }}, '; ', {{ quantity("producers", "producer") }}
    ) as evidence,
    case
        when records = 0 then 'No record has to be reprocessed'
        when records > 0 then concat({{ quantity("records", "record") }}, ' processed in vain and reprocessed')
        else 'The records since the previous committed offset are reprocessed'
    end as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Nothing to do if the application aborts on purpose; otherwise find out why its transactions fail' as recommendation,
    coalesce(
        concat({{ quantity("records", "fewer record") }}, ' reprocessed on a day like this'), 'No record is reprocessed'
    ) as expected_effect
from groups
