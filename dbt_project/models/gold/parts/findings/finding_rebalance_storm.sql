-- one row per group that rebalanced in a storm, and day
{%- set telling %}
    one_by_one.reason in (
        'poll_interval', 'session_timeout', 'rebalance_timeout', 'sync_timeout', 'enforced', 'subscription_or_topics_changed'
    )
{%- endset %}
with

dense as (
    select
        cluster,
        day,
        group_id,
        coalesce(started_at, completed_at) as at,
        coalesce(completed_at, started_at) as until,
        reason,
        trigger_client_id,
        paused_partition_ms,
        coalesce(
            coalesce(started_at, completed_at) > lag(coalesce(started_at, completed_at)) over in_order
            + interval {{ storm_minutes() }} minutes,
            true
        ) as begins
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and in_storm
    window in_order as (partition by cluster, day, group_id order by coalesce(started_at, completed_at))
),

one_by_one as (
    select
        cluster,
        day,
        group_id,
        at,
        until,
        reason,
        trigger_client_id,
        paused_partition_ms,
        count_if(begins) over (partition by cluster, day, group_id order by at) as storm
    from dense
),

-- Members that are started or stopped one after the other are a deployment.
storms as (
    select
        cluster,
        day,
        group_id,
        storm,
        sum(paused_partition_ms) >= 60000
        or max(until) > min(at) + interval 2 minutes
        or max(reason not in ('member_joined', 'member_left', 'partitions_revoked', 'leader_rejoined', 'unknown'))
            as is_costly
    from one_by_one
    group by all
),

stormy as (
    select
        one_by_one.cluster,
        one_by_one.day,
        one_by_one.group_id,
        count(*) as rebalances,
        min(one_by_one.at) as since,
        max(one_by_one.until) as until,
        mode(one_by_one.reason) as reason,
        mode(if({{ telling }}, one_by_one.reason, null)) as telling_reason,
        5 * count_if({{ telling }}) >= count(*) as is_told,
        sum(one_by_one.paused_partition_ms) as paused_partition_ms,
        count(distinct one_by_one.trigger_client_id) as clients,
        min(one_by_one.trigger_client_id) as client_id
    from one_by_one
    inner join storms
        on
            one_by_one.cluster = storms.cluster
            and one_by_one.day = storms.day
            and one_by_one.group_id = storms.group_id
            and one_by_one.storm = storms.storm
    where storms.is_costly
    group by all
)

select
    cluster,
    day,
    group_id,
    'rebalance_storm' as kind,
    group_id as subject,
    'warning' as severity,
    concat(group_id, ' rebalanced ', {{ quantity("rebalances", "time") }}, ' in a storm') as title,
    concat(
        'From ', {{ utc("since") }}, ' to ', {{ utc("until") }}, ', most often for ', replace(reason, '_', ' '),
        if(clients = 1, concat(', each time begun by ', client_id), '')
    ) as evidence,
    if(
        paused_partition_ms is null,
        'Reading stood still for as long as no source tells',
        concat('Reading stood still for ', {{ partition_time("paused_partition_ms") }})
    ) as cost,
    cast(null as bigint) as cost_records,
    paused_partition_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    -- Who goes and comes back joins and leaves: one reason in five that tells more says what to do.
    case if(is_told, telling_reason, reason)
        when 'poll_interval' then 'Poll fewer records at a time, or give them longer: max.poll.records, max.poll.interval.ms'
        when 'rebalance_timeout' then 'Poll fewer records at a time, or give them longer: max.poll.records, max.poll.interval.ms'
        when 'session_timeout' then 'Find what stops the members; a longer session.timeout.ms outlasts a pause of theirs'
        when 'enforced' then 'Find what calls enforceRebalance'
        when 'subscription_or_topics_changed' then 'Subscribe all members alike, and create topics together'
        else 'Start and stop members together, with group.instance.id so that a restart needs no rebalance'
    end as recommendation,
    concat('Up to ', {{ quantity("rebalances - 1", "rebalance") }}, ' fewer on a day like this') as expected_effect
from stormy
