-- one row per group whose commits failed, and day; those of an incident, of a late poll and of a fenced member belong to these
with

incidents as (
    {{ coordinator_incidents() }}
),

late_polls as (
    select *
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'poll_interval'
),

failures as (
    select
        events.cluster,
        events.day,
        events.group_id,
        events.client_id,
        events.happened_at,
        coalesce(
            events.details['error'], if(events.text like '%not part of an active group%', 'a rebalance was in progress', null)
        ) as error
    from {{ source("silver", "group_events") }} as events
    left anti join incidents
        on
            events.cluster = incidents.cluster
            and events.group_id = incidents.group_id
            and {{ is_within_incident("events.happened_at", "incidents") }}
    left anti join late_polls
        on
            events.cluster = late_polls.cluster
            and events.group_id = late_polls.group_id
            and events.client_id = late_polls.client_id
            and events.happened_at between late_polls.ended_at and late_polls.ended_at + interval 5 minutes
    where
        {{ is_selected_day("events.day") }}
        and events.event in ('commit_failed', 'auto_commit_failed')
        and events.group_id is not null
        and events.happened_at is not null
        and events.text not like '%group.instance.id%'
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as failures,
        count(distinct client_id) as clients,
        min(client_id) as client_id,
        min(happened_at) as first_at,
        max(happened_at) as last_at,
        mode(error) as error
    from failures
    group by all
),

-- What the member could not commit, the next reader of its partitions reads again.
next_starts as (
    select
        starts.cluster,
        starts.day,
        starts.group_id,
        count(*) as partitions,
        sum(starts.reprocessed_at_least) as records_at_least,
        {{ sum_if_known("starts.reprocessed_at_most") }} as records_at_most
    from {{ ref("read_starts") }} as starts
    left semi join failures
        on
            starts.cluster = failures.cluster
            and starts.group_id = failures.group_id
            and starts.from_client_id = failures.client_id
            and starts.started_at between failures.happened_at and failures.happened_at + interval 1 minute
    where
        {{ is_selected_day("starts.day") }}
        and starts.cause in ('assigned', 'kept')
    group by all
)

select
    cluster,
    day,
    group_id,
    'failed_commits' as kind,
    group_id as subject,
    'warning' as severity,
    concat(
        {{ quantity("groups.failures", "commit") }}, ' of group ', group_id, ' failed',
        if(next_starts.partitions is null, '', ', and its partitions went to their next reader within a minute')
    ) as title,
    concat(
        'From ', {{ utc("groups.first_at") }}, ' to ', {{ utc("groups.last_at") }}, ', ',
        if(groups.clients = 1, concat('by ', groups.client_id), concat('by ', {{ quantity("groups.clients", "client") }})),
        coalesce(concat('; most frequent error: ', groups.error), '')
    ) as evidence,
    case
        when next_starts.partitions is null
            then 'None: no reader started within a minute, so the next commit covers what was read'
        when next_starts.records_at_most = 0 then 'No record was reprocessed'
        when next_starts.records_at_most is null then 'What was read and not committed is reprocessed; how much is unknown'
        else concat(
            if(
                next_starts.records_at_least > 0,
                concat('At least ', format_number(next_starts.records_at_least, 0), ' and at most '), 'At most '
            ), {{ quantity("next_starts.records_at_most", "record") }}, ' reprocessed'
        )
    end as cost,
    if(next_starts.partitions is null, 0, next_starts.records_at_most) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        groups.error like '%rebalance%',
        concat(
            'Commit synchronously in onPartitionsRevoked, while the partitions are still owned; ',
            'after RebalanceInProgressException call poll() and commit again'
        ),
        'Find out why the coordinator refuses them'
    ) as recommendation,
    if(
        next_starts.records_at_most > 0,
        concat('Up to ', {{ quantity("next_starts.records_at_most", "fewer record") }}, ' reprocessed on a day like this'),
        'Each batch is committed at once'
    ) as expected_effect
from groups
left join next_starts using (cluster, day, group_id)
