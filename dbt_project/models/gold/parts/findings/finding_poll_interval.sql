-- one row per client that left because it did not poll in time, and day
with

leaves as (
    select *
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'poll_interval'
),

clients as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as subject,
        count(*) as leaves,
        min(ended_at) as first_at,
        nullif(sum(rebalances), 0) as rebalances,
        sum(paused_partition_ms) as paused_partition_ms
    from leaves
    group by all
)

select
    cluster,
    day,
    group_id,
    'poll_interval' as kind,
    subject,
    'warning' as severity,
    concat('Consumer ', subject, ' of group ', group_id, ' left: it did not poll within max.poll.interval.ms') as title,
    concat({{ quantity("leaves", "time") }}, ', first at ', {{ utc("first_at") }}) as evidence,
    concat(
        'The records of its unfinished batch are reprocessed',
        coalesce(concat('; ', {{ quantity("rebalances", "rebalance") }}), ''),
        if(paused_partition_ms > 0, concat(' paused consumption for ', {{ partition_time("paused_partition_ms") }}), '')
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Finish each batch in time: lower max.poll.records, raise max.poll.interval.ms, or move slow work off the polling thread'
        as recommendation,
    coalesce(
        concat({{ quantity("rebalances", "fewer rebalance") }}, ' on a day like this'), 'No rebalance because of a late poll'
    ) as expected_effect
from clients
