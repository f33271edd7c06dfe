-- one row per topic that a group commits too seldom, and day
with

partitions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        gap_ms_p50,
        replay_window_p99
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits >= 5
        and replay_window_p99 > 0
        -- Where little arrives, little is committed: few records are no window, and a few long gaps no habit.
        and (gap_ms_p50 >= 60000 and replay_window_p99 >= 100 or replay_window_p99 >= 10000)
),

by_topic as (
    select
        cluster,
        day,
        group_id,
        topic,
        count(*) as partitions,
        cast(max(replay_window_p99) as bigint) as records,
        max_by(struct(partition_id, gap_ms_p50), replay_window_p99) as widest
    from partitions
    group by all
)

select
    cluster,
    day,
    group_id,
    'wide_replay_window' as kind,
    topic as subject,
    'warning' as severity,
    concat(
        'If an owner of ', group_id, ' dies, up to ', {{ quantity("records", "record") }}, ' of ', topic,
        ' come again per partition'
    ) as title,
    concat(
        {{ quantity("partitions", "partition") }}, ' with a wide window; partition ', widest.partition_id,
        ': 99 of 100 advances up to ',
        {{ quantity("records", "record") }}, ', half of the gaps longer than ', format_number(widest.gap_ms_p50 / 1000, 1), ' s'
    ) as evidence,
    concat(
        {{ quantity("records", "record") }}, ' and ', format_number(widest.gap_ms_p50 / 1000, 1),
        ' s of work per partition, each time an owner dies'
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Commit more often: a lower auto.commit.interval.ms or max.poll.records, or a commit within the batch' as recommendation,
    concat(
        'Committing every 5 s leaves about ',
        {{ quantity("cast(ceil(records * 5000 / greatest(widest.gap_ms_p50, 5000)) as bigint)", "record") }}
    ) as expected_effect
from by_topic
