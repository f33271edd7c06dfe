-- one row per partition on which a group has a position, committed or tried to commit, and day
with

commit_statistics as (
    select * from {{ ref("commit_statistics") }}
),

positions as (
    select *
    from {{ source("silver", "positions") }}
    where
        {{ is_selected_day() }}
        and committed_offset is not null
),

groups as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(member_count, subscribed_topics, if(group_type = 'classic', emptied_at, null) as emptied_at),
            coalesce(record_offset, -1)
        ) as state
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and incarnation > 0
        and deleted_at is null
    group by all
),

-- Few clients request an expiry. It counts if their commit is the current position.
requested_expiries as (
    select
        positions.cluster,
        positions.day,
        positions.group_id,
        positions.topic,
        positions.partition_id,
        max(commits.expires_at) as expires_at
    from {{ ref("commit_gaps") }} as commits
    inner join positions
        on
            commits.cluster = positions.cluster
            and commits.day = positions.day
            and commits.group_id = positions.group_id
            and commits.topic = positions.topic
            and commits.partition_id = positions.partition_id
            and commits.record_offset <=> positions.record_offset
            and commits.committed_at <=> positions.committed_at
    where
        {{ is_selected_day("commits.day") }}
        and commits.expires_at is not null
    group by all
),

rejected_commits as (
    select
        cluster,
        day,
        {{ rejected_value("group_id") }} as group_id,
        {{ rejected_value("topic") }} as topic,
        cast({{ rejected_value("partition_id") }} as int) as partition_id
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and table_name = 'silver.offset_commits'
        and replayed_at is null
),

-- One aggregation over all of them costs less than joins on so many partitions.
partition_facts as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        struct(* except(cluster, day, group_id, topic, partition_id)) as statistics,
        null as position,
        null as requested_expires_at,
        false as is_rejected
    from commit_statistics
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as statistics,
        struct(committed_offset, committed_at) as position,
        null as requested_expires_at,
        false as is_rejected
    from positions
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as statistics,
        null as position,
        expires_at as requested_expires_at,
        false as is_rejected
    from requested_expiries
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as statistics,
        null as position,
        null as requested_expires_at,
        true as is_rejected
    from rejected_commits
    where
        group_id is not null
        and topic is not null
        and partition_id is not null
),

partitions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        first(statistics, true) as statistics,
        max(position) as position,
        max(requested_expires_at) as requested_expires_at,
        count_if(is_rejected) as commits_rejected
    from partition_facts
    group by all
),

joined as (
    select
        partitions.*,
        groups.state,
        failed_commits.failed_on
    from partitions
    left join groups using (cluster, day, group_id)
    left join {{ ref("failed_commits") }} as failed_commits using (cluster, day, group_id)
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    coalesce(statistics.commits, 0) as commits,
    statistics.gap_ms_p50,
    statistics.gap_ms_p95,
    statistics.gap_ms_max,
    statistics.replay_window_p50,
    statistics.replay_window_p99,
    statistics.replay_window_max,
    coalesce(statistics.regressions, 0) as regressions,
    if(coalesce(statistics.regressions, 0) = 0, 0, statistics.redelivered) as redelivered,
    coalesce(statistics.commit_style, 'none') as commit_style,
    statistics.expected_interval_ms,
    -- Null without logs of the group's clients.
    cast(size(filter(failed_on, name -> name = {{ topic_partition() }})) as bigint) as commits_failed,
    position.committed_offset as last_committed_offset,
    position.committed_at as last_committed_at,
    case
        when position is null then null
        -- A group keeps the committed offsets of the topics that its members subscribe to.
        when
            state is not null
            and coalesce(state.member_count, 1) > 0
            and coalesce(array_contains(state.subscribed_topics, topic), true)
            then null
        when requested_expires_at is not null then requested_expires_at
        -- Without a generation, in a KIP-848 group, or on a topic that nobody subscribes to, the time of the commit counts.
        else
            coalesce(state.emptied_at, position.committed_at)
            + make_dt_interval(0, 0, {{ offsets_retention_minutes("cluster") }})
    end as expires_at,
    commits_rejected,
    statistics.complete
from joined
