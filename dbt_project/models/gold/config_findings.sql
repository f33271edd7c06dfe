-- one row per group, client, setting and day of which what a consumer printed, or did, says that it should be another
with

printed as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        max_by(settings, started_at) as settings,
        bool_and(coalesce(lower(settings['enable.auto.commit']) = 'true', false)) as commits_by_itself
    from {{ source("silver", "client_configs") }}
    where
        {{ is_selected_day() }}
        and group_id is not null
    group by all
),

told as (
    select
        cluster,
        day,
        group_id,
        client_id,
        settings,
        try_cast(settings['heartbeat.interval.ms'] as bigint) as heartbeat_ms,
        try_cast(settings['session.timeout.ms'] as bigint) as session_ms,
        try_cast(settings['max.poll.interval.ms'] as bigint) as poll_ms,
        settings['max.poll.records'] as poll_records,
        -- Commits don't tell which consumer of the group made them.
        if(
            bool_and(commits_by_itself) over (partition by cluster, day, group_id),
            try_cast(settings['auto.commit.interval.ms'] as bigint), null
        ) as auto_commit_ms,
        try_cast(settings['max.partition.fetch.bytes'] as bigint) as partition_fetch_bytes,
        -- The broker tells members of the consumer protocol how often to beat and how to assign.
        coalesce(lower(settings['group.protocol']), 'classic') = 'classic' as is_classic
    from printed
),

ended as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        count_if(ended_by = 'poll_interval') as poll_leaves,
        count_if(static_membership = 'would have spared') as restarts
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_at is not null
    group by all
),

rebalanced as (
    select
        cluster,
        day,
        group_id,
        sum(paused_partition_ms) as paused_partition_ms,
        sum(partitions_moved * duration_ms) as moved_partition_ms
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and group_type = 'classic'
        and assignor not in ('cooperative-sticky', 'stream')
    group by all
),

committed as (
    select
        cluster,
        day,
        group_id,
        max_by(struct(topic, partition_id, gap_ms_p95), gap_ms_p95) as slowest
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits >= 5
        and gap_ms_p95 is not null
    group by all
),

-- What each member has if one of the last generation's dies.
balances as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(
                members, idle_members, partitions, cast(ceil(partitions / greatest(members - 1, 1)) as bigint) as each
            ), struct(incarnation, generation)
        ) as last
    from {{ ref("assignor_balance") }}
    where {{ is_selected_day() }}
    group by all
),

heartbeats as (
    select
        cluster,
        day,
        group_id,
        client_id,
        'heartbeat.interval.ms' as setting,
        string(heartbeat_ms) as value,
        concat('At most ', session_ms div 3) as advice,
        if(
            heartbeat_ms >= session_ms,
            concat('The session of ', session_ms, ' ms ends before the next heartbeat is sent'),
            concat('Of a session of ', session_ms, ' ms a single lost heartbeat may be one too many')
        ) as because,
        'heartbeat_is_a_third_of_the_session' as rule,
        if(heartbeat_ms >= session_ms, 'critical', 'info') as severity
    from told
    where
        is_classic
        and heartbeat_ms > session_ms div 3
),

intervals as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.client_id,
        'auto.commit.interval.ms' as setting,
        string(told.auto_commit_ms) as value,
        'The interval is not kept: poll more often, with fewer records at a time (max.poll.records) or less work between polls'
            as advice,
        concat(
            '95 of 100 commits of the group on ', committed.slowest.topic, '-', committed.slowest.partition_id, ' came up to ',
            format_number(committed.slowest.gap_ms_p95 / 1000, 1), ' s after the one before: auto-commit waits for poll'
        ) as because,
        'auto_commit_keeps_its_interval' as rule,
        'info' as severity
    from told
    inner join committed
        on
            told.cluster = committed.cluster
            and told.day = committed.day
            and told.group_id = committed.group_id
    where committed.slowest.gap_ms_p95 > 2 * told.auto_commit_ms
),

fetches as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.client_id,
        'max.partition.fetch.bytes' as setting,
        string(told.partition_fetch_bytes) as value,
        concat('At most ', 268435456 div balances.last.each, ', or heap for what is fetched') as advice,
        concat(
            'If one of ', {{ quantity("balances.last.members", "member") }}, ' dies, another may hold ',
            format_number(balances.last.each * told.partition_fetch_bytes / 1048576, 0), ' MiB of records of ',
            {{ quantity("balances.last.each", "partition") }}
        ) as because,
        'fetched_records_fit_after_a_death' as rule,
        'info' as severity
    from told
    inner join balances
        on
            told.cluster = balances.cluster
            and told.day = balances.day
            and told.group_id = balances.group_id
    where
        balances.last.each * told.partition_fetch_bytes > 268435456
        and balances.last.members > 1
),

polls as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.client_id,
        'max.poll.interval.ms' as setting,
        string(told.poll_ms) as value,
        concat(
            'More than the longest batch takes, or fewer than ', coalesce(told.poll_records, '500'),
            ' records at a time (max.poll.records)'
        ) as advice,
        concat('It left the group ', {{ quantity("ended.poll_leaves", "time") }}, ' since it did not poll in time') as because,
        'poll_interval_fits_the_batch' as rule,
        'warning' as severity
    from told
    inner join ended
        on
            told.cluster = ended.cluster
            and told.day = ended.day
            and told.group_id = ended.group_id
            and told.client_id = ended.client_id
    where
        ended.poll_leaves > 0
        and told.poll_ms is not null
),

restarts as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.client_id,
        'group.instance.id' as setting,
        coalesce(told.settings['group.instance.id'], 'null') as value,
        'A name of its own for each member, the same after a restart' as advice,
        concat(
            'It left and came back within its session timeout ', {{ quantity("ended.restarts", "time") }},
            ': with an instance id that needs no rebalance'
        ) as because,
        'static_membership_spares_rebalances' as rule,
        'info' as severity
    from told
    inner join ended
        on
            told.cluster = ended.cluster
            and told.day = ended.day
            and told.group_id = ended.group_id
            and told.client_id = ended.client_id
    where
        ended.restarts > 0
        and coalesce(told.settings['group.instance.id'], 'null') = 'null'
),

pauses as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.client_id,
        'partition.assignment.strategy' as setting,
        told.settings['partition.assignment.strategy'] as value,
        'CooperativeStickyAssignor' as advice,
        concat(
            'Rebalances stopped reading for ', {{ partition_time("rebalanced.paused_partition_ms") }},
            '; the partitions that moved needed ', {{ partition_time("coalesce(rebalanced.moved_partition_ms, 0)") }}
        ) as because,
        'cooperative_rebalances_stop_less' as rule,
        'info' as severity
    from told
    inner join rebalanced
        on
            told.cluster = rebalanced.cluster
            and told.day = rebalanced.day
            and told.group_id = rebalanced.group_id
    where
        told.is_classic
        and rebalanced.paused_partition_ms >= coalesce(rebalanced.moved_partition_ms, 0) + 6000
        and told.settings['partition.assignment.strategy'] is not null
),

crowds as (
    select
        cluster,
        day,
        group_id,
        '' as client_id,
        'members' as setting,
        string(last.members) as value,
        concat('At most ', last.partitions, ', or more partitions') as advice,
        concat(
            {{ quantity("last.members", "member") }}, ' share ', {{ quantity("last.partitions", "partition") }}, ': ',
            last.idle_members, if(last.idle_members = 1, ' has', ' have'), ' nothing to read'
        ) as because,
        'members_do_not_outnumber_partitions' as rule,
        'info' as severity
    from balances
    where
        last.members > last.partitions
        and last.idle_members > 0
)

select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from heartbeats
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from polls
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from restarts
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from pauses
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from intervals
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from fetches
union all
select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from crowds
