-- one row per partition of which a group passed over records unread, and day
with

-- The position was not in the log any more, or not yet, and the client says where it went on.
resets as (
    select
        cluster,
        day,
        group_id,
        client_id,
        details['topic_partition'] as subject,
        event,
        happened_at,
        try_cast(details['offset'] as bigint) as position
    from {{ source("silver", "group_events") }}
    where
        {{ of_the_days() }}
        and event in ('position_out_of_range', 'offset_reset')
        and group_id is not null
        and details['topic_partition'] is not null
),

in_turn as (
    select
        cluster,
        day,
        group_id,
        subject,
        event,
        happened_at,
        position,
        lead(struct(event, happened_at, position)) over (
            partition by cluster, day, group_id, client_id, subject order by happened_at asc, event desc
        ) as next
    from resets
),

leapt as (
    select
        cluster,
        day,
        group_id,
        subject,
        sum(next.position - position) as records,
        min_by(struct(happened_at, position, next.position as went_on), happened_at) as first
    from in_turn
    where
        event = 'position_out_of_range'
        and next.event = 'offset_reset'
        and next.position > position
    group by all
),

-- A reader that is no member commits again and again; a tool sets a position once.
set_forward as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        sum(advanced) as records,
        min_by(struct(committed_at, previous_offset, committed_offset), committed_at) as first
    from {{ ref("commit_gaps") }}
    where
        {{ of_the_days() }}
        and while_empty
        and kind = 'advance'
    group by all
    having count(*) <= 2
),

lost as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        records_lost as records
    from {{ ref("lag_health") }}
    where
        {{ of_the_days() }}
        and records_lost > 0
),

-- A group that nobody runs any more loses nothing that somebody waits for.
alive as (
    select
        cluster,
        day,
        group_id
    from {{ ref("commit_health") }}
    where
        {{ of_the_days() }}
        and commits > 0
    union
    select
        cluster,
        day,
        group_id
    from {{ source("silver", "groups") }}
    where
        {{ of_the_days() }}
        and member_count > 0
),

found as (
    select
        cluster,
        day,
        group_id,
        subject,
        records,
        'critical' as severity,
        concat(
            'Position ', first.position, ' was out of range at ', {{ utc("first.happened_at") }}, ', and reading went on at ',
            first.went_on
        ) as evidence,
        concat(
            group_id, ' went on reading ', subject, ' ', {{ counted("records", "record") }}, ' further than it had read'
        ) as title,
        'are never read, or were deleted before they were read' as fate,
        'Read faster than retention deletes, or keep the topic longer; auto.offset.reset decides where reading goes on'
            as recommendation
    from leapt
    union all
    select
        lost.cluster,
        lost.day,
        lost.group_id,
        lost.subject,
        lost.records,
        if(alive.group_id is null, 'info', 'critical') as severity,
        if(
            alive.group_id is null, 'The position is below the start of the log; the group did not run that day',
            'The position is below the start of the log'
        ) as evidence,
        concat(
            {{ counted("lost.records", "record") }}, ' of ', lost.subject, if(lost.records = 1, ' was', ' were'),
            ' deleted before ', lost.group_id, ' read ', if(lost.records = 1, 'it', 'them')
        ) as title,
        'were deleted before they were read' as fate,
        if(
            alive.group_id is null, 'Delete the group if it is done',
            'Read faster than retention deletes, or keep the topic longer (retention.ms, retention.bytes)'
        ) as recommendation
    from lost
    left join alive
        on
            lost.cluster = alive.cluster
            and lost.day = alive.day
            and lost.group_id = alive.group_id
    left anti join leapt
        on
            lost.cluster = leapt.cluster
            and lost.day = leapt.day
            and lost.group_id = leapt.group_id
            and lost.subject = leapt.subject
    union all
    select
        cluster,
        day,
        group_id,
        subject,
        records,
        'info' as severity,
        concat(
            'The position was set from ', first.previous_offset, ' to ', first.committed_offset, ' at ',
            {{ utc("first.committed_at") }}, ' while the group had no members'
        ) as evidence,
        concat(
            'The position of ', group_id, ' on ', subject, ' was set forward over ', {{ counted("records", "record") }}
        ) as title,
        'were passed over' as fate,
        'Nothing, if the reset was meant; else find who ran it' as recommendation
    from set_forward
),

worst as (
    select
        cluster,
        day,
        group_id,
        subject,
        max_by(struct(records, severity, evidence, title, fate, recommendation), struct(severity = 'critical', records)) as worst
    from found
    group by all
)

select
    cluster,
    day,
    group_id,
    'skipped_records' as kind,
    subject,
    worst.severity,
    worst.title,
    worst.evidence,
    concat({{ counted("worst.records", "record") }}, ' that ', worst.fate) as cost,
    worst.records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    worst.recommendation,
    concat({{ counted("worst.records", "record") }}, ' more are read on a day like this') as expected_effect
from worst
