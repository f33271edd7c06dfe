-- one row per group, client, setting and day: a setting that should be changed, by itself or because of what happened
with

client_settings as (
    select * from {{ ref("client_settings") }}
),

sessions as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        count_if(ended_by = 'poll_interval') as poll_leaves
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_at is not null
    group by all
),

restarts as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        count(*) as restarts
    from {{ ref("avoidable_restarts") }}
    group by all
),

eager_rebalances as (
    select * from {{ ref("eager_rebalances") }}
),

commits as (
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

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(
                members,
                -- Partitions of each member if one of them dies.
                cast(ceil(partitions / greatest(members - 1, 1)) as bigint) as partitions_after_death
            ), struct(incarnation, generation)
        ) as last_generation
    from {{ ref("assignor_balance") }}
    where {{ is_selected_day() }}
    group by all
),

-- Each client with what happened to it and to its group.
clients as (
    select
        client_settings.*,
        client_settings.session_ms div {{ threshold("heartbeats_per_session") }} as heartbeat_limit_ms,
        sessions.poll_leaves,
        restarts.restarts,
        eager_rebalances.kept_unread_ms,
        commits.slowest,
        balances.last_generation
    from client_settings
    left join sessions using (cluster, day, group_id, client_id)
    left join restarts using (cluster, day, group_id, client_id)
    left join eager_rebalances using (cluster, day, group_id)
    left join commits using (cluster, day, group_id)
    left join balances using (cluster, day, group_id)
),

client_findings as (
    select
        cluster,
        day,
        group_id,
        client_id,
        explode(array(
            struct(
                'heartbeat_is_a_third_of_the_session' as rule,
                is_classic and heartbeat_ms > heartbeat_limit_ms as is_broken,
                case
                    when heartbeat_ms >= session_ms then 'critical'
                    when 3 * heartbeat_ms > 2 * session_ms then 'warning'
                    else 'info'
                end as severity,
                'heartbeat.interval.ms' as setting,
                string(heartbeat_ms) as value,
                concat('Set heartbeat.interval.ms to at most ', heartbeat_limit_ms) as advice,
                case
                    when heartbeat_ms >= session_ms
                        then concat('The session timeout of ', session_ms, ' ms expires before the next heartbeat is sent')
                    when 3 * heartbeat_ms > 2 * session_ms
                        then
                            concat(
                                'The next heartbeat is sent only ', session_ms - heartbeat_ms, ' ms before the session timeout ',
                                'of ', session_ms, ' ms: one that is late or lost ends the session'
                            )
                    else concat('With a session timeout of ', session_ms, ' ms, one lost heartbeat can end the session')
                end as because
            ),
            struct(
                'poll_interval_fits_the_batch' as rule,
                poll_leaves > 0 and poll_ms is not null as is_broken,
                'warning' as severity,
                'max.poll.interval.ms' as setting,
                string(poll_ms) as value,
                concat(
                    'Set max.poll.interval.ms above the time that the longest batch takes, or max.poll.records below ',
                    coalesce(poll_records, '500')
                ) as advice,
                concat(
                    'It left the group ', {{ quantity("poll_leaves", "time") }}, ' because it did not poll in time'
                ) as because
            ),
            struct(
                'static_membership_spares_rebalances' as rule,
                restarts > 0 and instance_id = 'null' as is_broken,
                'info' as severity,
                'group.instance.id' as setting,
                instance_id as value,
                'Give each member its own group.instance.id and keep it across restarts' as advice,
                concat(
                    'It left and rejoined within its session timeout ', {{ quantity("restarts", "time") }},
                    ', which needs no rebalance with a group.instance.id'
                ) as because
            ),
            struct(
                'cooperative_rebalances_stop_less' as rule,
                is_classic and kept_unread_ms >= 6000 and assignors is not null as is_broken,
                'info' as severity,
                'partition.assignment.strategy' as setting,
                assignors as value,
                'Use the CooperativeStickyAssignor' as advice,
                concat(
                    'Partitions that stayed with their member were not read for ', {{ partition_time("kept_unread_ms") }},
                    ' in rebalances; a cooperative assignor keeps on reading them'
                ) as because
            ),
            struct(
                'auto_commit_keeps_its_interval' as rule,
                slowest.gap_ms_p95 > {{ threshold("late_commit_intervals") }} * auto_commit_ms as is_broken,
                'info' as severity,
                'auto.commit.interval.ms' as setting,
                string(auto_commit_ms) as value,
                'Poll more often, with fewer records at a time (max.poll.records) or less work between polls' as advice,
                concat(
                    '95 % of the commits of the group on ', slowest.topic, '-', slowest.partition_id, ' came up to ',
                    {{ seconds("slowest.gap_ms_p95") }}, ' after the previous one, because auto-commit waits for the next poll'
                ) as because
            ),
            struct(
                'fetched_records_fit_after_a_death' as rule,
                last_generation.partitions_after_death * fetch_bytes > 268435456 and last_generation.members > 1 as is_broken,
                'info' as severity,
                'max.partition.fetch.bytes' as setting,
                string(fetch_bytes) as value,
                concat(
                    'Set max.partition.fetch.bytes to at most ', 268435456 div nullif(last_generation.partitions_after_death, 0),
                    ', or provide heap for the fetched records'
                ) as advice,
                concat(
                    'If one of ', {{ quantity("last_generation.members", "member") }}, ' dies, another may hold ',
                    format_number(last_generation.partitions_after_death * fetch_bytes / 1048576, 0), ' MiB of records of ',
                    {{ quantity("last_generation.partitions_after_death", "partition") }}
                ) as because
            )
        )) as finding
    from clients
)

select
    cluster,
    day,
    group_id,
    client_id,
    finding.setting,
    finding.value,
    finding.advice,
    finding.because,
    finding.rule,
    finding.severity
from client_findings
where finding.is_broken
