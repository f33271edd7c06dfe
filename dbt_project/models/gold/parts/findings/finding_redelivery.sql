-- one row per partition whose committed offset moved back, and day
with

regressions as (
    select *
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and kind = 'regression'
),

partitions as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        count(*) as regressions,
        sum(redelivered) as records,
        max_by(cause, redelivered) as cause,
        array_join(array_sort(collect_set(cause)), ', ') as causes,
        -- Then the topic may have been recreated, and whether the group had read these records before is unknown.
        coalesce(max_by(out_of_range, redelivered), false) as out_of_range,
        min_by(struct(committed_at, previous_offset, committed_offset), struct(committed_at, record_offset)) as first_regression
    from regressions
    group by all
)

select
    cluster,
    day,
    group_id,
    'redelivery' as kind,
    subject,
    if(cause in ('replay', 'reset'), 'info', 'warning') as severity,
    concat(
        'Group ', group_id, ' moved its committed offset on ', subject, ' back: up to ', {{ quantity("records", "record") }},
        if(records = 1, ' is', ' are'), ' reprocessed'
    ) as title,
    concat(
        {{ quantity("regressions", "commit") }}, ' below the previous one, the first at ',
        {{ utc("first_regression.committed_at") }}, ' from ', first_regression.previous_offset, ' to ',
        first_regression.committed_offset, '; cause: ', causes
    ) as evidence,
    -- An offset that was committed by mistake matters only if a consumer starts from it.
    concat(
        if(cause in ('replay', 'reset') and not out_of_range, '', 'Up to '), {{ quantity("records", "record") }},
        if(cause = 'async_retry', ' would have been reprocessed if an owner had stopped before its next commit', ' reprocessed')
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when cause = 'reset' and out_of_range
            then concat(
                'Find out why the position was out of range: the topic was recreated or truncated,',
                ' or an offset past its end was committed'
            )
        when cause = 'async_retry'
            then 'Do not retry commitAsync yourself: number the commits, and drop an older one once a newer one has been sent'
        when cause = 'replay' then 'Nothing to do if reading again was intended; otherwise find the seek or the reset'
        when cause = 'reset'
            then 'Nothing to do if the reset was intended; otherwise find out who ran it while the group had no members'
        when cause = 'late_commit'
            then 'Commit synchronously while partitions are revoked and not later; in transactions, send the group metadata'
        else 'Find out what moved it: a seek, a tool, or an owner that committed late'
    end as recommendation,
    concat({{ quantity("records", "fewer record") }}, ' reprocessed on a day like this') as expected_effect
from partitions
