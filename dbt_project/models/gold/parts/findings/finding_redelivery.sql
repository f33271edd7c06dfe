-- one row per partition that a group read again, or will at its next start, because its committed offset moved back
with

-- After a transaction was aborted, its consumer seeks back: that is a finding of its own.
aborted_commits as (
    select *
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and transaction = 'aborted'
),

read_again as (
    select
        starts.cluster,
        starts.day,
        starts.group_id,
        {{ topic_partition("starts") }} as subject,
        count(*) as starts,
        sum(starts.reprocessed_at_least) as records,
        min_by(struct(starts.started_at, starts.cause, starts.start_offset), starts.started_at) as first_start
    from {{ ref("read_starts") }} as starts
    left anti join aborted_commits
        on
            starts.cause = 'seek'
            and starts.cluster = aborted_commits.cluster
            and starts.group_id = aborted_commits.group_id
            and starts.topic = aborted_commits.topic
            and starts.partition_id = aborted_commits.partition_id
            and starts.started_at between aborted_commits.committed_at and aborted_commits.committed_at + interval 1 minute
    where
        {{ is_selected_day("starts.day") }}
        and starts.reprocessed_at_least > 0
    group by all
),

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        max_by(struct(committed_at, committed_offset), struct(committed_at, record_offset)) as last_commit,
        max(committed_offset) as highest,
        max_by(cause, struct(committed_at, record_offset)) filter (where kind = 'regression') as cause,
        max(committed_at) filter (where kind = 'regression') as regressed_at,
        count_if(kind = 'regression') as regressions,
        bool_or(kind = 'regression' and redelivered is null) as is_unknown
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and not coalesce(while_empty, false)
        and owner_client_id is not null
    group by all
    having regressions > 0
),

-- The position was left below what had been read, and nobody has started there yet.
left_behind as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        regressions,
        highest - last_commit.committed_offset as records,
        last_commit,
        highest,
        cause
    from commits
    where
        is_unknown
        and cause in ('async_retry', 'late_commit')
        and last_commit.committed_offset < highest
)

select
    cluster,
    day,
    group_id,
    'redelivery' as kind,
    subject,
    if(first_start.cause = 'seek', 'info', 'warning') as severity,
    concat(
        'Group ', group_id, ' read at least ', {{ quantity("records", "record") }}, ' of ', subject, ' again',
        case first_start.cause
            when 'seek' then ': its consumer sought back'
            when 'reset' then ': auto.offset.reset moved it back'
            else ': its committed offset was below what it had read'
        end
    ) as title,
    concat(
        {{ quantity("starts", "time") }}, ', first at ', {{ utc("first_start.started_at") }},
        coalesce(concat(', from offset ', first_start.start_offset), '')
    ) as evidence,
    concat('At least ', {{ quantity("records", "record") }}, ' reprocessed') as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case first_start.cause
        when 'seek' then 'Nothing to do if reading again was intended; otherwise find the seek in the application'
        when 'reset'
            then
                concat(
                    'Find out why the position was out of range: the topic was recreated or truncated, ',
                    'or an offset past its end was committed'
                )
        else
            concat(
                'Commit what is processed before partitions are given up (in onPartitionsRevoked and before close), ',
                'and never a lower offset after a higher one'
            )
    end as recommendation,
    concat({{ quantity("records", "fewer record") }}, ' reprocessed on a day like this') as expected_effect
from read_again
union all
select
    cluster,
    day,
    group_id,
    'left_behind' as kind,
    subject,
    'warning' as severity,
    concat(
        'Group ', group_id, ' left the committed offset of ', subject, ' at ', last_commit.committed_offset,
        ' although it had read to ', highest
    ) as title,
    concat(
        {{ quantity("regressions", "commit") }}, ' below the one before, cause: ', replace(cause, '_', ' '),
        '; the last commit at ', {{ utc("last_commit.committed_at") }}
    ) as evidence,
    concat({{ quantity("records", "record") }}, if(records = 1, ' is', ' are'), ' reprocessed at its next start') as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        cause = 'async_retry',
        concat(
            'Do not retry commitAsync yourself: number the commits, drop an older one once a newer one has been sent, ',
            'and commit synchronously before close()'
        ),
        'Commit synchronously while partitions are revoked and not later; in transactions, send the group metadata'
    ) as recommendation,
    concat({{ quantity("records", "fewer record") }}, ' reprocessed at the next start') as expected_effect
from left_behind
