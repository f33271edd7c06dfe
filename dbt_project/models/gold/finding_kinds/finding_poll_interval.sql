-- one row per client that left because it did not poll in time, and day
with

gone as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as subject,
        member_id,
        next_member_id,
        ended_at,
        min(ended_at) over (partition by cluster, day, group_id, coalesce(client_id, member_id)) as first_at
    from {{ ref("member_sessions") }}
    where
        {{ of_the_days() }}
        and ended_by = 'poll_interval'
),

-- who left began one rebalance, and who came back another
those as (
    select distinct
        cluster,
        day,
        group_id,
        subject,
        first_at,
        explode(array_compact(array(member_id, next_member_id))) as member_id
    from gone
),

begun as (
    select
        those.cluster,
        those.day,
        those.group_id,
        those.subject,
        count(*) as rebalances,
        sum(rebalances.paused_partition_ms) as paused_partition_ms
    from {{ ref("rebalances") }} as rebalances
    inner join those
        on
            rebalances.cluster = those.cluster
            and rebalances.day = those.day
            and rebalances.group_id = those.group_id
            and rebalances.trigger_member_id = those.member_id
    where
        {{ of_the_days("rebalances.day") }}
        and coalesce(rebalances.started_at, rebalances.completed_at) >= those.first_at - interval 10 seconds
        and rebalances.reason in ('poll_interval', 'member_left', 'member_joined')
    group by all
),

sessions as (
    select
        gone.cluster,
        gone.day,
        gone.group_id,
        gone.subject,
        count(*) as leaves,
        min(gone.ended_at) as first_at,
        max(begun.rebalances) as rebalances,
        max(begun.paused_partition_ms) as paused_partition_ms
    from gone
    left join begun
        on
            gone.cluster = begun.cluster
            and gone.day = begun.day
            and gone.group_id = begun.group_id
            and gone.subject = begun.subject
    group by all
)

select
    cluster,
    day,
    group_id,
    'poll_interval' as kind,
    subject,
    'warning' as severity,
    concat(subject, ' of ', group_id, ' left since it did not poll within max.poll.interval.ms') as title,
    concat({{ counted("leaves", "time") }}, ', first at ', {{ utc("first_at") }}) as evidence,
    concat(
        'What it was working on comes again',
        coalesce(concat('; ', {{ counted("rebalances", "rebalance") }}), ''),
        if(
            paused_partition_ms > 0,
            concat(', in which reading stood still for ', {{ partition_time("paused_partition_ms") }}), ''
        )
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Let a batch end in time: a lower max.poll.records, a higher max.poll.interval.ms, or slow work off the polling thread'
        as recommendation,
    coalesce(
        concat({{ counted("rebalances", "rebalance") }}, ' fewer on a day like this'), 'No rebalance for want of a poll'
    ) as expected_effect
from sessions
