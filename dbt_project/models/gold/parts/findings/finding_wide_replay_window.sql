-- one row per topic to which a group commits too seldom, and day
with

wide_windows as (
    select *
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits >= 5
        and replay_window_p99 > 0
        -- A topic with little traffic needs few commits: a few records are cheap, and a few long gaps are normal.
        and (gap_ms_p50 >= 60000 and replay_window_p99 >= 100 or replay_window_p99 >= 10000)
),

topics as (
    select
        cluster,
        day,
        group_id,
        topic,
        count(*) as partitions,
        cast(max(replay_window_p99) as bigint) as records,
        max_by(struct(partition_id, gap_ms_p50), replay_window_p99) as widest
    from wide_windows
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
        'If an owner of group ', group_id, ' dies, up to ', {{ quantity("records", "record") }}, ' of ', topic,
        ' are reprocessed per partition'
    ) as title,
    concat(
        {{ quantity("partitions", "partition") }}, ' with a wide replay window; partition ', widest.partition_id,
        ': 99 % of advances up to ', {{ quantity("records", "record") }}, ', half of the gaps longer than ',
        {{ seconds("widest.gap_ms_p50") }}
    ) as evidence,
    concat(
        {{ quantity("records", "record") }}, ' and ', {{ seconds("widest.gap_ms_p50") }},
        ' of work per partition, each time an owner dies'
    ) as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Commit more often: lower auto.commit.interval.ms or max.poll.records, or commit within the batch' as recommendation,
    concat(
        'Committing every 5 s leaves about ',
        {{ quantity("cast(ceil(records * 5000 / greatest(widest.gap_ms_p50, 5000)) as bigint)", "record") }}
    ) as expected_effect
from topics
