-- one row per effective commit: its distance in time and in offsets from the effective commit before it
with

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset,
        previous_committed_at,
        previous_committed_offset as previous_offset,
        committed_offset - previous_committed_offset as advanced,
        unix_millis(committed_at) - unix_millis(previous_committed_at) as gap_ms,
        case
            when after_tombstone then 'after_tombstone'
            when previous_committed_offset is null then 'first'
            when committed_offset < previous_committed_offset then 'regression'
            when committed_offset = previous_committed_offset then 'repeat'
            else 'advance'
        end as kind,
        complete,
        producer_id,
        expires_at,
        generation,
        generation_members,
        owner_client_id,
        struct(owner_client_id, owner_since, owner_moved) as owner
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and coalesce(transaction, 'none') in ('none', 'committed')
        and committed_offset is not null
),

regressions as (
    select distinct
        cluster,
        day,
        group_id,
        topic,
        partition_id
    from commits
    where kind = 'regression'
),

-- From here to the causes only partitions with a regression count. Regressions one right after another are one fall: it
-- begins under a top, and the commit after it tells how it ended.
fallen as (
    select
        commits.cluster,
        commits.day,
        commits.group_id,
        commits.topic,
        commits.partition_id,
        commits.record_offset,
        commits.committed_at,
        commits.committed_offset,
        commits.previous_offset,
        commits.gap_ms,
        commits.kind,
        commits.owner,
        struct(
            commits.previous_committed_at, commits.previous_offset, commits.advanced, commits.complete, commits.producer_id,
            commits.expires_at, commits.generation, commits.generation_members, commits.owner_client_id
        ) as beside
    from commits
    left semi join regressions
        on
            commits.cluster = regressions.cluster
            and commits.day = regressions.day
            and commits.group_id = regressions.group_id
            and commits.topic = regressions.topic
            and commits.partition_id = regressions.partition_id
),

in_falls as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset,
        previous_offset,
        gap_ms,
        kind,
        owner,
        beside,
        coalesce(
            last(if(kind != 'regression', committed_offset, null)) ignore nulls over in_order,
            first(previous_offset) ignore nulls over in_order
        ) as top,
        lead(
            if(kind != 'regression', struct(committed_offset, previous_offset as low), null)
        ) ignore nulls over in_order as after,
        -- A commit after a regression leaps, and tells nothing of what one poll can reach.
        if(kind = 'advance' and lag(kind, 1, 'first') over in_order != 'regression', committed_offset - previous_offset, 0)
            as batch,
        if(lag(owner) over in_order <=> owner, null, struct(committed_offset, previous_offset)) as began
    from fallen
    window in_order as (
        partition by cluster, day, group_id, topic, partition_id order by record_offset, committed_at
    )
),

shapes as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset,
        gap_ms,
        kind,
        owner,
        beside,
        top,
        after,
        after.committed_offset >= top as came_back_at_once,
        last(began) ignore nulls over in_order as began,
        max(batch) over (partition by cluster, day, group_id, topic, partition_id) as largest_batch
    from in_falls
    window in_order as (
        partition by cluster, day, group_id, topic, partition_id order by record_offset, committed_at
    )
),

-- What clients logged: a position is set, to one that the line names or to an end of the partition; or the position is out of
-- the log's range, and auto.offset.reset chooses another.
seeks as (
    select
        cluster,
        day,
        group_id,
        details['topic_partition'] as topic_partition,
        collect_list(
            struct(
                happened_at as at,
                if(event = 'sought', coalesce(try_cast(details['offset'] as bigint), 0), null) as position
            )
        ) as told
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event in ('sought', 'position_out_of_range')
        and happened_at is not null
    group by all
),

falls as (
    select
        shapes.cluster,
        shapes.day,
        shapes.group_id,
        shapes.topic,
        shapes.partition_id,
        shapes.record_offset,
        shapes.committed_at,
        shapes.committed_offset,
        shapes.gap_ms,
        shapes.beside,
        shapes.came_back_at_once,
        coalesce(
            shapes.owner.owner_moved
            and shapes.committed_at <= shapes.owner.owner_since + interval 5 minutes
            and shapes.committed_offset >= shapes.began.previous_offset
            and shapes.committed_offset < shapes.began.committed_offset
            and coalesce(shapes.came_back_at_once, true),
            false
        ) as is_late,
        filter(
            seeks.told,
            seek -> seek.at >= shapes.beside.previous_committed_at - interval 1 second
            and seek.at <= shapes.committed_at + interval 1 second
        ) as told_meanwhile,
        coalesce(exists(told_meanwhile, seek -> seek.position <= shapes.committed_offset), false) as is_sought,
        coalesce(exists(told_meanwhile, seek -> seek.position is null), false) as out_of_range,
        case
            when is_sought then 'replay'
            when shapes.gap_ms <= 100 then 'async_retry'
            when
                shapes.came_back_at_once
                and shapes.after.committed_offset - shapes.after.low > greatest(shapes.largest_batch, 500)
                then 'async_retry'
            when not shapes.came_back_at_once then 'replay'
            else 'unknown'
        end as told_by_commits
    from shapes
    left join seeks
        on
            shapes.cluster = seeks.cluster
            and shapes.day = seeks.day
            and shapes.group_id = seeks.group_id
            and concat(shapes.topic, '-', shapes.partition_id) = seeks.topic_partition
    where shapes.kind = 'regression'
),

explained as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset,
        gap_ms,
        beside,
        is_late,
        is_sought,
        out_of_range,
        if(
            told_by_commits = 'unknown' and came_back_at_once and count_if(told_by_commits = 'replay') over (
                partition by cluster, day, group_id
                order by unix_seconds(committed_at)
                range between 60 preceding and 60 following
            ) > 0,
            'replay', told_by_commits
        ) as told_by_commits
    from falls
),

-- Where group records are delivered, a group of which no source tells a generation only commits.
told_groups as (
    select
        cluster,
        day,
        group_id,
        bool_or(since is null or record_offset is not null) as by_records
    from {{ source("silver", "group_owners") }}
    where {{ is_selected_day() }}
    group by all
),

told_clusters as (
    select
        cluster,
        day
    from told_groups
    where by_records
    group by all
),

with_causes as (
    select
        explained.cluster,
        explained.day,
        explained.group_id,
        explained.topic,
        explained.partition_id,
        explained.record_offset,
        explained.committed_at,
        explained.committed_offset,
        explained.gap_ms,
        explained.beside,
        explained.out_of_range,
        case
            when explained.is_sought then 'replay'
            when explained.beside.generation_members = 0 or explained.out_of_range then 'reset'
            when
                explained.is_late and (explained.beside.generation is not null or explained.beside.generation_members is not null)
                then 'late_commit'
            when
                told_clusters.cluster is not null
                and told_groups.group_id is null
                and explained.told_by_commits != 'async_retry'
                then 'reset'
            else explained.told_by_commits
        end as cause
    from explained
    left join told_groups
        on
            explained.cluster = told_groups.cluster
            and explained.day = told_groups.day
            and explained.group_id = told_groups.group_id
    left join told_clusters
        on
            explained.cluster = told_clusters.cluster
            and explained.day = told_clusters.day
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    committed_at,
    record_offset,
    previous_committed_at,
    gap_ms,
    previous_offset,
    committed_offset,
    advanced,
    kind,
    cast(null as string) as cause,
    if(kind in ('advance', 'repeat'), 0, null) as redelivered,
    generation,
    owner_client_id,
    complete,
    producer_id is not null as transactional,
    expires_at,
    generation_members = 0 as while_empty,
    cast(null as boolean) as out_of_range
from commits
where kind != 'regression'
union all
select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    committed_at,
    record_offset,
    beside.previous_committed_at,
    gap_ms,
    beside.previous_offset,
    committed_offset,
    beside.advanced,
    'regression' as kind,
    cause,
    -beside.advanced as redelivered,
    beside.generation,
    beside.owner_client_id,
    beside.complete,
    beside.producer_id is not null as transactional,
    beside.expires_at,
    beside.generation_members = 0 as while_empty,
    out_of_range
from with_causes
