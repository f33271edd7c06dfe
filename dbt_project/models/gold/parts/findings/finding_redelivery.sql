-- one row per partition whose commits fell back, and day
with

regressions as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        committed_at,
        record_offset,
        previous_offset,
        committed_offset,
        redelivered,
        cause,
        out_of_range
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and kind = 'regression'
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        subject,
        count(*) as regressions,
        sum(redelivered) as records,
        max_by(cause, redelivered) as cause,
        array_join(array_sort(collect_set(cause)), ', ') as causes,
        -- Of what auto.offset.reset chose nobody knows here whether those records were read before: the topic may be another.
        coalesce(max_by(out_of_range, redelivered), false) as out_of_range,
        min_by(
            concat('at ', {{ utc("committed_at") }}, ' from ', previous_offset, ' to ', committed_offset),
            struct(committed_at, record_offset)
        ) as first_of_them
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
        group_id, ' moved its position on ', subject, ' back: ', {{ quantity("records", "record") }}, ' may come again'
    ) as title,
    concat(
        {{ quantity("regressions", "commit") }}, ' below the one before, the first ', first_of_them, '; cause: ', causes
    ) as evidence,
    -- A position that was committed by mistake counts only when somebody starts from it.
    concat(
        if(cause in ('replay', 'reset') and not out_of_range, '', 'Up to '),
        {{ quantity("records", "record") }}, ' delivered again',
        if(cause = 'async_retry', ', had an owner stopped before its next commit', '')
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when cause = 'reset' and out_of_range
            then concat(
                'Find out why the position was out of range: the topic was made again or lost its end,',
                ' or a position past it was committed'
            )
        when cause = 'async_retry'
            then 'Never retry commitAsync by itself: number the commits, and drop an older one when a newer one has been sent'
        when cause = 'replay' then 'Nothing, if reading again was meant; else find the seek or the reset'
        when cause = 'reset' then 'Nothing, if the reset was meant; else find who ran it while the group had no members'
        when cause = 'late_commit'
            then 'Commit synchronously when partitions are revoked and not afterwards; in transactions with the group metadata'
        else 'Find out who moved it: a seek, a tool, or an owner that committed late'
    end as recommendation,
    concat('On a day like this ', {{ quantity("records", "record") }}, ' fewer to process twice') as expected_effect
from by_partition
