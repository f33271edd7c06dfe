-- one row per rebalance, creation, emptying, deletion and protocol change of a group, and day
with

incidents as (
    {{ coordinator_incidents() }}
),

explained_rebalances as (
    select
        rebalances.cluster,
        rebalances.group_id,
        rebalances.incarnation,
        rebalances.generation,
        min(incidents.what) as explained_by
    from {{ ref("rebalances") }} as rebalances
    inner join incidents
        on
            rebalances.cluster = incidents.cluster
            and rebalances.group_id = incidents.group_id
            and {{
                is_within_incident(
                    "coalesce(rebalances.started_at, rebalances.completed_at, rebalances.first_seen_at)", "incidents"
                )
            }}
    where {{ is_selected_day("rebalances.day") }}
    group by all
),

rebalances as (
    select
        rebalances.*,
        explained_rebalances.explained_by,
        coalesce(rebalances.trigger_client_id, 'a member') as trigger,
        -- Member ids are long, and gold.rebalances has them.
        coalesce(
            replace(rebalances.reason_text, nullif(rebalances.trigger_member_id, ''), '…'), rebalances.reason_text
        ) as short_reason_text
    from {{ ref("rebalances") }} as rebalances
    left join explained_rebalances using (cluster, group_id, incarnation, generation)
    where {{ is_selected_day("rebalances.day") }}
),

rebalance_texts as (
    select
        *,
        case
            when explained_by is null then ''
            else concat(', after ', explained_by)
        end as after_incident,
        case reason
            when 'member_joined' then concat(' because ', trigger, ' joined')
            when 'member_left' then concat(' because ', trigger, ' left')
            when 'session_timeout' then concat(' because ', trigger, ' sent no heartbeat in time')
            when 'poll_interval' then concat(' because ', trigger, ' did not poll in time')
            when 'rebalance_timeout' then concat(' because ', trigger, ' did not rejoin in time')
            when 'sync_timeout' then concat(' because ', trigger, ' did not sync in time')
            when 'subscription_or_topics_changed' then ' because subscriptions or topics changed'
            when 'partitions_revoked' then concat(' because ', trigger, ' gave up revoked partitions')
            when 'static_member_changed' then ' because a static member rejoined with changes'
            when 'leader_rejoined' then ' because the leader rejoined'
            when 'enforced' then concat(' because ', trigger, ' requested it')
            else ' for an unknown reason'
        end as because,
        if(
            members_before != members_after,
            concat(members_before, ' → ', {{ quantity("members_after", "member") }}), {{ quantity("members_after", "member") }}
        ) as members,
        concat(
            partitions_moved, ' of ', {{ quantity("partitions_assigned", "partition") }}, ' moved',
            if(partitions_moved > partitions_moved_minimum, concat(' (', partitions_moved_minimum, ' needed)'), '')
        ) as moves,
        concat('took ', {{ seconds("duration_ms") }}) as duration,
        case
            when paused_partition_ms > 0
                then concat('partitions not read for ', {{ partition_time("paused_partition_ms") }})
            when paused_partition_ms is null and paused_partition_ms_at_most > 0
                then concat('partitions not read for at most ', {{ partition_time("paused_partition_ms_at_most") }})
        end as pause,
        -- A commit on the next day is no part of this day's story.
        if(awaits_commit, null, concat('first commit ', {{ seconds("first_commit_after_ms") }}, ' later')) as first_commit
    from rebalances
),

group_changes as (
    select
        *,
        lead(struct(incarnation, generation, group_type)) over in_log_order as next,
        lag(generation) over in_log_order as previous_generation,
        concat('silver.group_owners', coalesce(concat(', record ', record_offset, ' of its log'), '')) as evidence
    from {{ source("silver", "group_owners") }}
    where {{ is_selected_day() }}
    window in_log_order as (partition by cluster, day, group_id order by record_offset, since)
)

select
    cluster,
    day,
    group_id,
    {{ rebalance_time() }} as happened_at,
    2L as turn,
    'rebalance' as kind,
    concat(
        'Rebalance to generation ', generation, because, after_incident, ': ',
        concat_ws(', ', members, moves, duration, pause, first_commit)
    ) as sentence,
    concat(
        'gold.rebalances, generation ', generation, ' of incarnation ', incarnation,
        coalesce(concat(': ', short_reason_text), '')
    ) as evidence,
    array_distinct(transform(evidence, origin -> if(origin = 'offsets_topic', 'offset_dumps', 'group_logs'))) as sources
from rebalance_texts
union all
select
    cluster,
    day,
    group_id,
    since as happened_at,
    if(generation = 0, -1L, 3L) as turn,
    if(generation = 0, 'made', 'emptied') as kind,
    if(
        generation = 0, 'The group was created, without members yet',
        concat('The group is empty: generation ', generation, ' has no members')
    ) as sentence,
    evidence,
    array('offset_dumps') as sources
from group_changes
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
        concat('The group was converted to type ', next.group_type, ' and keeps its incarnation'), 'The group was deleted'
    ) as sentence,
    evidence,
    array('offset_dumps') as sources
from group_changes
where
    since is not null
    and generation is null
