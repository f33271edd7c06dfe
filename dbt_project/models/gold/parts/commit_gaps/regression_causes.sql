-- one row per effective commit below the effective commit before it: its likely cause
with

commits as (
    select
        *,
        {{ commit_kind() }} as kind,
        committed_offset - previous_committed_offset as advanced,
        struct(owner_client_id, owner_since, owner_moved) as owner
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and {{ is_effective_commit() }}
        and committed_offset is not null
),

regressed_partitions as (
    select distinct
        cluster,
        day,
        group_id,
        topic,
        partition_id
    from commits
    where kind = 'regression'
),

commits_around as (
    select commits.*
    from commits
    left semi join regressed_partitions using (cluster, day, group_id, topic, partition_id)
),

-- Regressions one right after another are one fall: it begins below a top, and the commit after it shows how it ended.
falls as (
    select
        *,
        coalesce(
            last(if(kind != 'regression', committed_offset, null)) ignore nulls over in_log_order,
            first(previous_committed_offset) ignore nulls over in_log_order
        ) as top,
        lead(
            if(kind != 'regression', struct(committed_offset, previous_committed_offset as low), null)
        ) ignore nulls over in_log_order as next_commit,
        -- The commit after a regression may jump, so it does not show how far one poll can reach.
        if(kind = 'advance' and lag(kind, 1, 'first') over in_log_order != 'regression', advanced, 0) as batch,
        if(lag(owner) over in_log_order <=> owner, null, struct(committed_offset, previous_committed_offset)) as owner_change
    from commits_around
    window in_log_order as (
        partition by cluster, day, group_id, topic, partition_id order by record_offset, committed_at
    )
),

shapes as (
    select
        *,
        next_commit.committed_offset >= top as came_back_at_once,
        last(owner_change) ignore nulls over in_log_order as last_owner_change,
        max(batch) over (partition by cluster, day, group_id, topic, partition_id) as largest_batch
    from falls
    window in_log_order as (
        partition by cluster, day, group_id, topic, partition_id order by record_offset, committed_at
    )
),

-- The offsets to which clients logged a seek (0: to an end of the partition); null for a position that was out of range.
seeks as (
    select
        cluster,
        day,
        group_id,
        details['topic_partition'] as topic_partition,
        collect_list(struct(
            happened_at as at, if(event = 'sought', coalesce(try_cast(details['offset'] as bigint), 0), null) as position
        )) as seeks
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event in ('sought', 'position_out_of_range')
        and happened_at is not null
    group by all
),

regressions as (
    select
        shapes.*,
        coalesce(
            shapes.owner.owner_moved
            and shapes.committed_at <= shapes.owner.owner_since + interval 5 minutes
            and shapes.committed_offset >= shapes.last_owner_change.previous_committed_offset
            and shapes.committed_offset < shapes.last_owner_change.committed_offset
            and coalesce(shapes.came_back_at_once, true),
            false
        ) as is_late,
        filter(
            seeks.seeks,
            seek -> seek.at >= shapes.previous_committed_at - interval 1 second
            and seek.at <= shapes.committed_at + interval 1 second
        ) as recent_seeks,
        coalesce(exists(recent_seeks, seek -> seek.position <= shapes.committed_offset), false) as is_sought,
        coalesce(exists(recent_seeks, seek -> seek.position is null), false) as out_of_range,
        case
            when is_sought then 'replay'
            when unix_millis(shapes.committed_at) - unix_millis(shapes.previous_committed_at) <= 100 then 'async_retry'
            when
                shapes.came_back_at_once
                and shapes.next_commit.committed_offset - shapes.next_commit.low > greatest(shapes.largest_batch, 500)
                then 'async_retry'
            when not shapes.came_back_at_once then 'replay'
            else 'unknown'
        end as cause_by_shape
    from shapes
    left join seeks
        on
            shapes.cluster = seeks.cluster
            and shapes.day = seeks.day
            and shapes.group_id = seeks.group_id
            and {{ topic_partition("shapes") }} = seeks.topic_partition
    where shapes.kind = 'regression'
),

replaying_groups as (
    select
        *,
        count_if(cause_by_shape = 'replay') over (
            partition by cluster, day, group_id
            order by unix_seconds(committed_at)
            range between 60 preceding and 60 following
        ) > 0 as is_replaying
    from regressions
),

groups as (
    select
        cluster,
        day,
        group_id,
        bool_or(since is null or record_offset is not null) as has_records
    from {{ source("silver", "group_owners") }}
    where {{ is_selected_day() }}
    group by all
),

clusters_with_records as (
    select distinct
        cluster,
        day
    from groups
    where has_records
),

causes as (
    select
        regressions.*,
        case
            when regressions.is_sought then 'replay'
            when regressions.generation_members = 0 or regressions.out_of_range then 'reset'
            when
                regressions.is_late and (regressions.generation is not null or regressions.generation_members is not null)
                then 'late_commit'
            -- Where group records are delivered, a group without a generation only commits.
            when
                clusters_with_records.cluster is not null
                and groups.group_id is null
                and regressions.cause_by_shape != 'async_retry'
                then 'reset'
            when regressions.cause_by_shape = 'unknown' and regressions.came_back_at_once and regressions.is_replaying
                then 'replay'
            else regressions.cause_by_shape
        end as cause
    from replaying_groups as regressions
    left join groups using (cluster, day, group_id)
    left join clusters_with_records using (cluster, day)
)

select
    *,  -- noqa: AM04
    unix_millis(committed_at) - unix_millis(previous_committed_at) as gap_ms,
    previous_committed_offset as previous_offset,
    -advanced as distance_back,
    producer_id is not null as transactional,
    generation_members = 0 as while_empty
from causes
