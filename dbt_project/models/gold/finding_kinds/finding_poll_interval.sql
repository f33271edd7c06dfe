-- one row per client that left because it did not poll in time, and day
with

sessions as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, member_id) as subject,
        count(*) as leaves,
        min(ended_at) as first_at
    from {{ ref("member_sessions") }}
    where
        {{ of_the_days() }}
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
    concat({{ counted("leaves", "time") }}, ', first at ', {{ utc("first_at") }}) as evidence,
    'Its partitions move at each leave and each return, and what it was working on comes again' as cost,
    cast(null as bigint) as cost_records,
    'Let a batch end in time: a lower max.poll.records, a higher max.poll.interval.ms, or slow work off the polling thread'
        as recommendation,
    concat({{ counted("2 * leaves", "rebalance") }}, ' fewer that day') as expected_effect
from sessions
