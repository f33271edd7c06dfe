-- one row per partition with a position in a transaction that nothing has ended, and day
with

open_commits as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        producer_id,
        committed_at,
        committed_offset
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and transaction = 'open'
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        subject,
        count(*) as commits,
        min_by(struct(committed_at, committed_offset, producer_id), committed_at) as oldest
    from open_commits
    group by all
)

select
    cluster,
    day,
    group_id,
    'open_transaction' as kind,
    subject,
    'warning' as severity,
    concat('A transaction of ', group_id, ' on ', subject, ' was neither committed nor aborted') as title,
    concat(
        'Position ', oldest.committed_offset, ' of producer ', oldest.producer_id, ' since ', {{ utc("oldest.committed_at") }},
        '; no marker in what was delivered'
    ) as evidence,
    'The position does not count, and readers of committed records wait at the open transaction' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat(
        'Find the hanging transaction with kafka-transactions.sh and abort it; ',
        'if a later delivery brings its marker, this finding goes'
    ) as recommendation,
    'Readers go on' as expected_effect
from by_partition
