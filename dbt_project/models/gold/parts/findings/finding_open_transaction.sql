-- one row per partition with a committed offset in a transaction that is still open, and day
with

open_commits as (
    select *
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and transaction = 'open'
),

partitions as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
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
    concat('A transaction of group ', group_id, ' on ', subject, ' was neither committed nor aborted') as title,
    concat(
        'Offset ', oldest.committed_offset, ' of producer ', oldest.producer_id, ' since ', {{ utc("oldest.committed_at") }},
        '; no delivered file contains the marker that ends the transaction'
    ) as evidence,
    'The committed offset has no effect, and read_committed consumers wait at the open transaction' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat(
        'Find the hanging transaction with kafka-transactions.sh and abort it; ',
        'this finding disappears if a later delivery contains the marker'
    ) as recommendation,
    'read_committed consumers continue' as expected_effect
from partitions
