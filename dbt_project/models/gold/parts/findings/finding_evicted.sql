-- one row per client that was removed since it fell silent, and day
with

sessions as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as subject,
        member_id,
        instance_id,
        ended_at,
        ended_by,
        next_member_id,
        session_timeout_ms,
        rebalances,
        -- Of a group that nobody is in any more nothing comes again yet.
        bool_or(ended_at is null) over of_the_group
        or ended_at < max(ended_at) over of_the_group as is_read_on
    from {{ ref("member_sessions") }}
    where {{ is_selected_day() }}
    window of_the_group as (partition by cluster, day, group_id)
),

gone as (
    select *
    from sessions
    where ended_by in ('session_timeout', 'rebalance_timeout')
),

-- what each of them held in its last generation of the day, and what a death there brings back
held as (
    select
        assignments.cluster,
        assignments.day,
        assignments.group_id,
        assignments.member_id,
        struct(assignments.incarnation, assignments.generation) as place,
        count(*) as partitions,
        cast(sum(commit_health.replay_window_max) as bigint) as records
    from {{ ref("assignments") }} as assignments
    left semi join gone
        on
            assignments.cluster = gone.cluster
            and assignments.day = gone.day
            and assignments.group_id = gone.group_id
            and assignments.member_id = gone.member_id
    left join {{ ref("commit_health") }} as commit_health
        on
            assignments.cluster = commit_health.cluster
            and assignments.day = commit_health.day
            and assignments.group_id = commit_health.group_id
            and assignments.topic = commit_health.topic
            and assignments.partition_id = commit_health.partition_id
    where {{ is_selected_day("assignments.day") }}
    group by all
),

last_held as (
    select
        cluster,
        day,
        group_id,
        member_id,
        max_by(struct(partitions, records), place) as had
    from held
    group by all
),

by_client as (
    select
        gone.cluster,
        gone.day,
        gone.group_id,
        gone.subject,
        max(gone.instance_id) as instance_id,
        count(*) as times,
        count(gone.next_member_id) as came_back,
        min(gone.ended_at) as first_at,
        bool_or(gone.ended_by = 'session_timeout') as fell_silent,
        max(gone.session_timeout_ms) as session_timeout_ms,
        sum(last_held.had.partitions) as partitions,
        sum(last_held.had.records) as records,
        cast(sum(if(gone.ended_by = 'session_timeout', last_held.had.partitions * gone.session_timeout_ms, null)) as bigint)
            as unread_ms,
        sum(gone.rebalances) as rebalances,
        bool_and(gone.is_read_on) as is_read_on
    from gone
    left join last_held
        on
            gone.cluster = last_held.cluster
            and gone.day = last_held.day
            and gone.group_id = last_held.group_id
            and gone.member_id = last_held.member_id
    group by all
)

select
    cluster,
    day,
    group_id,
    'evicted' as kind,
    subject,
    if(instance_id is null, 'warning', 'info') as severity,
    concat(
        if(instance_id is null, subject, concat('Static member ', instance_id)), ' of ', group_id,
        if(
            fell_silent, ' was removed: no heartbeat came within its session timeout',
            ' was removed: it did not join a rebalance in time'
        )
    ) as title,
    concat(
        {{ quantity("times", "time") }}, ', first at ', {{ utc("first_at") }},
        coalesce(concat(', with ', {{ quantity("partitions", "partition") }}), ''),
        coalesce(concat(', after a session timeout of ', format_number(session_timeout_ms / 1000, 1), ' s'), ''),
        if(came_back = 0, '; it did not come back', concat('; it came back ', {{ quantity("came_back", "time") }}))
    ) as evidence,
    concat_ws(
        '; ',
        coalesce(
            concat('Nobody read its partitions for about ', {{ partition_time("unread_ms") }}),
            'Nobody read its partitions until it was removed'
        ),
        concat(
            'up to ', {{ quantity("records", "record") }},
            if(is_read_on, ' came again', ' come again when somebody reads on')
        )
    ) as cost,
    records as cost_records,
    unread_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when instance_id is not null
            then
                'Start it again within its session timeout; remove it with the admin client if it was stopped for good'
        when fell_silent
            then 'Stop it with close() and not by a kill; else find what stopped it: memory, a long pause, the network'
        else 'Let a batch end in time: a lower max.poll.records or a higher max.poll.interval.ms'
    end as recommendation,
    if(
        instance_id is null,
        concat(
            'A member that closes gives its partitions on at once',
            coalesce(concat(': about ', {{ partition_time("unread_ms") }}, ' more of reading'), '')
        ),
        concat(
            'Back in time it has its partitions again',
            if(rebalances = 0, '', concat(': ', {{ quantity("rebalances", "rebalance") }}, ' fewer'))
        )
    ) as expected_effect
from by_client
