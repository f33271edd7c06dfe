-- one row per partition whose committed offset stays past the log end, and day; rejected commits are a finding of their own
with

samples as (
    select *
    from {{ source("silver", "lag_samples") }}
    where
        {{ is_selected_day() }}
        and lag < 0
        -- Exporters report cached log ends.
        and reporter in ('get_offsets', 'describe', 'jmx_broker', 'collect')
),

partitions as (
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
),

partitions_with_rejected_commits as (
    select *
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits_rejected > 0
),

unexplained_partitions as (
    select partitions.*
    from partitions
    left anti join partitions_with_rejected_commits using (cluster, day, group_id, topic, partition_id)
)

select
    cluster,
    day,
    group_id,
    'negative_lag' as kind,
    {{ topic_partition() }} as subject,
    'warning' as severity,
    concat(
        'The committed offset of group ', group_id, ' is ', {{ quantity("-lowest.lag", "record") }}, ' past the end of ',
        {{ topic_partition() }}
    ) as title,
    concat(
        {{ quantity("samples", "sample") }}, ' with negative lag from ', {{ utc("since") }}, ' to ', {{ utc("until") }},
        ', the lowest with committed offset ', lowest.committed_offset, ' and log end offset ', lowest.log_end_offset
    ) as evidence,
    concat(
        'Too long for a race between two readings: the next owner finds no record at that offset, ',
        'and auto.offset.reset decides where it reads'
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Check whether the topic was recreated or truncated, and reset the committed offset' as recommendation,
    'The next owner continues where the last one stopped' as expected_effect
from unexplained_partitions
