-- one row per partition on which a group skipped records, and day
with

skipping_starts as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        count(*) as starts,
        sum(skipped) as records,
        min_by(struct(started_at, cause, start_offset, start_offset - skipped as reached), started_at) as first_start
    from {{ ref("read_starts") }}
    where
        {{ is_selected_day() }}
        and skipped > 0
    group by all
),

-- A tool sets an offset once; a consumer without group membership commits again and again.
forward_moves as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        sum(advanced) as records,
        min_by(struct(committed_at, previous_offset, committed_offset), committed_at) as first_move
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and while_empty
        and kind = 'advance'
    group by all
    having count(*) <= 2
),

-- The client's log is the best evidence. Lag metrics come next, because they may show a loss of long ago.
skips as (
    select
        cluster,
        day,
        group_id,
        subject,
        1 as priority,
        if(first_start.cause = 'reset', 'reset', 'moved') as how,
        records,
        concat(
            'Group ', group_id, ' skipped ', {{ quantity("records", "record") }}, ' on ', subject, ': ',
            case first_start.cause
                when 'reset'
                    then concat(
                        'position ', first_start.reached, ' was out of range and auto.offset.reset moved it to ',
                        first_start.start_offset
                    )
                when 'seek' then concat('its consumer sought from ', first_start.reached, ' to ', first_start.start_offset)
                else concat(
                    'it had read to ', first_start.reached, ' and started again at committed offset ', first_start.start_offset
                )
            end
        ) as title,
        concat({{ quantity("starts", "time") }}, ', first at ', {{ utc("first_start.started_at") }}) as evidence
    from skipping_starts
    union all
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        2 as priority,
        'deleted' as how,
        records_lost as records,
        concat(
            {{ quantity("records_lost", "record") }}, ' of ', {{ topic_partition() }}, if(records_lost = 1, ' was', ' were'),
            ' deleted before group ', group_id, ' read ', if(records_lost = 1, 'it', 'them')
        ) as title,
        'The committed offset is below the log start offset' as evidence
    from {{ ref("lag_health") }}
    where
        {{ is_selected_day() }}
        and records_lost > 0
    union all
    select
        cluster,
        day,
        group_id,
        subject,
        3 as priority,
        'moved' as how,
        records,
        concat(
            'The committed offset of group ', group_id, ' on ', subject, ' was moved forward over ',
            {{ quantity("records", "record") }}
        ) as title,
        concat(
            'At ', {{ utc("first_move.committed_at") }}, ' it was set from ', first_move.previous_offset, ' to ',
            first_move.committed_offset, ' while the group had no members'
        ) as evidence
    from forward_moves
),

partitions as (
    select
        cluster,
        day,
        group_id,
        subject,
        min_by(struct(how, records, title, evidence), priority) as skip
    from skips
    group by all
),

-- A group that no longer runs loses no records that somebody waits for.
running_groups as (
    select
        cluster,
        day,
        group_id,
        true as is_running
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits > 0
    union
    select
        cluster,
        day,
        group_id,
        true as is_running
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and member_count > 0
),

skipped_partitions as (
    select
        partitions.* except (skip),
        if(partitions.skip.how = 'deleted' and running_groups.is_running is null, 'deleted unused', partitions.skip.how) as how,
        partitions.skip.records,
        partitions.skip.title,
        partitions.skip.evidence
    from partitions
    left join running_groups using (cluster, day, group_id)
)

select
    cluster,
    day,
    group_id,
    'skipped_records' as kind,
    subject,
    if(how in ('reset', 'deleted'), 'critical', 'info') as severity,
    title,
    concat(evidence, if(how = 'deleted unused', '; no member of the group was seen that day', '')) as evidence,
    concat(
        {{ quantity("records", "record") }},
        case how
            when 'reset' then ' never read, or deleted before they were read'
            when 'moved' then ' skipped'
            else ' lost'
        end
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case how
        when 'reset'
            then 'Read faster than retention deletes, or retain the topic longer; auto.offset.reset decides where reading goes on'
        when 'deleted' then 'Read faster than retention deletes, or retain the topic longer (retention.ms, retention.bytes)'
        when 'moved' then 'Nothing to do if the reset was intended; otherwise find out who ran it'
        else 'Delete the group if it is no longer needed'
    end as recommendation,
    if(
        how = 'deleted unused', '1 group fewer to look at',
        concat({{ quantity("records", "more record") }}, ' read on a day like this')
    ) as expected_effect
from skipped_partitions
