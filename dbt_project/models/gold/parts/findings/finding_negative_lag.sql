-- one row per partition whose position stays above the log end, and day; quarantined commits are a finding of their own
with

samples as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        committed_offset,
        log_end_offset,
        lag
    from {{ source("silver", "lag_samples") }}
    where
        {{ is_selected_day() }}
        and lag < 0
        -- Exporters serve log ends that they read some time ago.
        and reporter in ('get_offsets', 'describe', 'jmx_broker', 'collect')
),

positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        commits_rejected
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(distinct sampled_at) as samples,
        min(sampled_at) as since,
        max(sampled_at) as until,
        min_by(struct(committed_offset, log_end_offset, lag), lag) as lowest
    from samples
    group by all
    having
        samples >= 3
        and until >= since + interval 1 minute
)

select
    by_partition.cluster,
    by_partition.day,
    by_partition.group_id,
    'negative_lag' as kind,
    concat(by_partition.topic, '-', by_partition.partition_id) as subject,
    'warning' as severity,
    concat(
        by_partition.group_id, ' stands ', {{ quantity("-by_partition.lowest.lag", "record") }}, ' past the end of ',
        by_partition.topic, '-', by_partition.partition_id
    ) as title,
    concat(
        {{ quantity("by_partition.samples", "sample") }}, ' below 0 from ', {{ utc("by_partition.since") }}, ' to ',
        {{ utc("by_partition.until") }}, ', the lowest with position ', by_partition.lowest.committed_offset,
        ' and log end ', by_partition.lowest.log_end_offset
    ) as evidence,
    'Too long for a race between two readings: the next owner finds no record there and resets by auto.offset.reset' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Look whether the topic was made again or truncated, and set the position anew' as recommendation,
    'Reading goes on where it ended' as expected_effect
from by_partition
left anti join positions
    on
        by_partition.cluster = positions.cluster
        and by_partition.day = positions.day
        and by_partition.group_id = positions.group_id
        and by_partition.topic = positions.topic
        and by_partition.partition_id = positions.partition_id
        and positions.commits_rejected > 0
