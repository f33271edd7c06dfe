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
        {{ is_selected_day() }}
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
        {{ is_selected_day() }}
        and while_empty
        and kind = 'advance'
    group by all
    having count(*) <= 2
),

told as (
    select
        cluster,
        day,
        group_id,
        subject,
        struct(
            records,
            concat(
                'Position ', first.position, ' was out of range at ', {{ utc("first.happened_at") }}, ', and reading went on at ',
                first.went_on
            ) as evidence
        ) as leapt,
        cast(null as struct<records: bigint, evidence: string>) as set_forward,
        cast(null as bigint) as records_lost,
        false as is_alive
    from leapt
    union all
    select
        cluster,
        day,
        group_id,
        subject,
        null as leapt,
        struct(
            records,
            concat(
                'The position was set from ', first.previous_offset, ' to ', first.committed_offset, ' at ',
                {{ utc("first.committed_at") }}, ' while the group had no members'
            ) as evidence
        ) as set_forward,
        null as records_lost,
        false as is_alive
    from set_forward
    union all
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        null as leapt,
        null as set_forward,
        records_lost,
        false as is_alive
    from {{ ref("lag_health") }}
    where
        {{ is_selected_day() }}
        and records_lost > 0
    union all
    -- A group that nobody runs any more loses nothing that somebody waits for.
    select
        cluster,
        day,
        group_id,
        null as subject,
        null as leapt,
        null as set_forward,
        null as records_lost,
        true as is_alive
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
    group by cluster, day, group_id
    having max(commits) > 0
    union all
    select
        cluster,
        day,
        group_id,
        null as subject,
        null as leapt,
        null as set_forward,
        null as records_lost,
        true as is_alive
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and member_count > 0
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        subject,
        max(leapt) as leapt,
        max(set_forward) as set_forward,
        max(records_lost) as records_lost,
        max(max(is_alive)) over (partition by cluster, day, group_id) as is_alive
    from told
    group by cluster, day, group_id, subject
),

-- The client's own word is the most telling; what lag shows may have been long ago.
found as (
    select
        cluster,
        day,
        group_id,
        subject,
        coalesce(leapt.records, records_lost, set_forward.records) as records,
        case
            when leapt is not null then 'leapt'
            when records_lost is not null then if(is_alive, 'lost', 'left behind')
            else 'set'
        end as how,
        coalesce(leapt.evidence, if(records_lost is null, set_forward.evidence, null)) as evidence
    from by_partition
    where subject is not null
)

select
    cluster,
    day,
    group_id,
    'skipped_records' as kind,
    subject,
    if(how in ('leapt', 'lost'), 'critical', 'info') as severity,
    case how
        when 'leapt'
            then
                concat(
                    group_id, ' went on reading ', subject, ' ', {{ quantity("records", "record") }}, ' further than it had read'
                )
        when 'set'
            then
                concat(
                    'The position of ', group_id, ' on ', subject, ' was set forward over ', {{ quantity("records", "record") }}
                )
        else
            concat(
                {{ quantity("records", "record") }}, ' of ', subject, if(records = 1, ' was', ' were'), ' deleted before ',
                group_id, ' read ', if(records = 1, 'it', 'them')
            )
    end as title,
    coalesce(
        evidence,
        concat(
            'The position is below the start of the log', if(how = 'lost', '', '; the group did not run that day')
        )
    ) as evidence,
    concat(
        {{ quantity("records", "record") }},
        case how
            when 'leapt' then ' that are never read, or were deleted before they were read'
            when 'set' then ' that were passed over'
            else ' that are gone'
        end
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case how
        when 'leapt'
            then 'Read faster than retention deletes, or keep the topic longer; auto.offset.reset decides where reading goes on'
        when 'lost' then 'Read faster than retention deletes, or keep the topic longer (retention.ms, retention.bytes)'
        when 'set' then 'Nothing, if the reset was meant; else find who ran it'
        else 'Delete the group if it is done'
    end as recommendation,
    if(
        how = 'left behind', 'One group fewer to look at',
        concat({{ quantity("records", "record") }}, ' more are read on a day like this')
    ) as expected_effect
from found
