-- one row per rebalance, making, emptying, deletion and change of protocol of a group, and day
with

rebalanced as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        coalesce(started_at, completed_at) as happened_at,
        reason,
        -- Member ids are long, and the row that is named has them.
        coalesce(replace(reason_text, nullif(trigger_member_id, ''), '…'), reason_text) as reason_text,
        coalesce(trigger_client_id, 'a member') as who,
        members_before,
        members_after,
        partitions_assigned,
        partitions_moved,
        partitions_moved_minimum,
        duration_ms,
        paused_partition_ms,
        -- A story is of its day.
        if(awaits_commit, null, first_commit_after_ms) as first_commit_after_ms,
        evidence
    from {{ ref("rebalances") }}
    where {{ is_selected_day() }}
),

explained as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        happened_at,
        reason_text,
        evidence,
        concat(
            'Rebalance to generation ', generation, ', ',
            case reason
                when 'member_joined' then concat('since ', who, ' joined')
                when 'member_left' then concat('since ', who, ' left')
                when 'session_timeout' then concat('since no heartbeat of ', who, ' came in time')
                when 'poll_interval' then concat('since ', who, ' did not poll in time')
                when 'rebalance_timeout' then concat('since ', who, ' did not join again in time')
                when 'sync_timeout' then concat('since ', who, ' did not ask for its part in time')
                when 'subscription_or_topics_changed' then 'since subscriptions or topics changed'
                when 'partitions_revoked' then concat('since ', who, ' gave partitions back')
                when 'static_member_changed' then 'since a static member came back changed'
                when 'leader_rejoined' then 'since the leader joined again'
                when 'enforced' then concat('since ', who, ' asked for it')
                else 'and no source tells why'
            end
        ) as what,
        if(
            members_before != members_after,
            concat(members_before, ' → ', {{ quantity("members_after", "member") }}), {{ quantity("members_after", "member") }}
        ) as members,
        concat(
            partitions_moved, ' of ', {{ quantity("partitions_assigned", "partition") }}, ' moved',
            if(
                partitions_moved > partitions_moved_minimum,
                concat(' where ', partitions_moved_minimum, ' would do'), ''
            )
        ) as moves,
        concat('took ', format_number(duration_ms / 1000, 1), ' s') as took,
        if(
            paused_partition_ms > 0,
            concat('reading stood still for ', {{ partition_time("paused_partition_ms") }}), null
        ) as pause,
        concat('first commit ', format_number(first_commit_after_ms / 1000, 1), ' s later') as first_commit
    from rebalanced
),

changes as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        group_type,
        member_count,
        record_offset,
        since,
        lead(struct(incarnation, generation, group_type)) over in_order as next,
        lag(generation) over in_order as previous_generation
    from {{ source("silver", "group_owners") }}
    where {{ is_selected_day() }}
    window in_order as (partition by cluster, day, group_id order by record_offset, since)
)

select
    cluster,
    day,
    group_id,
    happened_at,
    2L as turn,
    'rebalance' as kind,
    concat(what, ': ', concat_ws(', ', members, moves, took, pause, first_commit)) as sentence,
    concat(
        'gold.rebalances, generation ', generation, ' of incarnation ', incarnation, coalesce(concat(': ', reason_text), '')
    ) as evidence,
    array_distinct(transform(evidence, who -> if(who = 'offsets_topic', 'offset_dumps', 'group_logs'))) as sources
from explained
union all
select
    cluster,
    day,
    group_id,
    since as happened_at,
    if(generation = 0, -1L, 3L) as turn,
    if(generation = 0, 'made', 'emptied') as kind,
    if(
        generation = 0, 'The group was made, without members yet',
        concat('The group is empty: generation ', generation, ' has no members')
    ) as sentence,
    concat('silver.group_owners', coalesce(concat(', record ', record_offset, ' of its log'), '')) as evidence,
    array('offset_dumps') as sources
from changes
where
    since is not null
    and member_count = 0
    and generation is not null
    and not coalesce(generation <=> previous_generation, false)
union all
select
    cluster,
    day,
    group_id,
    since as happened_at,
    4L as turn,
    if(next.incarnation = incarnation, 'converted', 'deleted') as kind,
    if(
        next.incarnation = incarnation,
        concat('The group goes on as a group of type ', next.group_type, ', in the same incarnation'), 'The group was deleted'
    ) as sentence,
    concat('silver.group_owners', coalesce(concat(', record ', record_offset, ' of its log'), '')) as evidence,
    array('offset_dumps') as sources
from changes
where
    since is not null
    and generation is null
