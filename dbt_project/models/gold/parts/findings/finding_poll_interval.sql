-- one row per client that left because it did not poll in time, and day
with

sessions as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as subject,
        count(*) as leaves,
        min(ended_at) as first_at,
        nullif(sum(rebalances), 0) as rebalances,
        sum(paused_partition_ms) as paused_partition_ms
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'poll_interval'
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
    concat({{ quantity("leaves", "time") }}, ', first at ', {{ utc("first_at") }}) as evidence,
    concat(
        'What it was working on comes again',
        coalesce(concat('; ', {{ quantity("rebalances", "rebalance") }}), ''),
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
        concat({{ quantity("rebalances", "rebalance") }}, ' fewer on a day like this'), 'No rebalance for want of a poll'
    ) as expected_effect
from sessions
