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
        expires_at
    from {{ source("silver", "offset_commits") }}
    where
        {{ of_the_days() }}
        and coalesce(transaction, 'none') in ('none', 'committed')
        and committed_offset is not null
),

-- What stands when the day begins has no place, and is before everything.
changes as (
    select
        cluster,
        day,
        group_id,
        record_offset as place,
        coalesce(since, timestamp_seconds(0)) as at,
        record_offset is not null as has_place,
        since is not null and record_offset is null as has_none,
        generation,
        member_count,
        held
    from {{ source("silver", "group_owners") }}
    where {{ of_the_days() }}
),

-- Few for each group and partition, so that each commit looks into them and no commit is sorted.
generations as (
    select
        cluster,
        day,
        group_id,
        {{ sorted_changes("struct(place, at, struct(generation, member_count) as told)") }},
        max(has_place) as by_place,
        max(has_none) as by_time
    from changes
    group by all
),

given as (
    select
        cluster,
        day,
        group_id,
        place,
        at,
        explode(held) as of_topic
    from changes
),

held as (
    select
        cluster,
        day,
        group_id,
        of_topic.topic,
        explode(of_topic.partitions) as partition_id,
        struct(
            place, at, struct(at as since, of_topic.client_id, of_topic.moved_from_member_id is not null as moved) as told
        ) as holder
    from given
),

holders as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        {{ sorted_changes("holder") }}
    from held
    group by all
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
        struct(
            commits.previous_committed_at, commits.previous_offset, commits.advanced, commits.complete, commits.producer_id,
            commits.expires_at
        ) as beside,
        {{ last_before("holders", "commits.record_offset", "commits.committed_at") }} as holder
    from commits
    left semi join regressions
        on
            commits.cluster = regressions.cluster
            and commits.day = regressions.day
            and commits.group_id = regressions.group_id
            and commits.topic = regressions.topic
            and commits.partition_id = regressions.partition_id
    left join holders
        on
            commits.cluster = holders.cluster
            and commits.day = holders.day
            and commits.group_id = holders.group_id
            and commits.topic = holders.topic
            and commits.partition_id = holders.partition_id
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
        beside,
        holder,
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
        if(lag(holder) over in_order <=> holder, null, struct(committed_offset, previous_offset)) as began
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
        beside,
        holder,
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

falls as (
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
        came_back_at_once,
        coalesce(
            holder.moved
            and committed_at <= holder.since + interval 5 minutes
            and committed_offset >= began.previous_offset
            and committed_offset < began.committed_offset
            and coalesce(came_back_at_once, true),
            false
        ) as is_late,
        case
            when gap_ms <= 100 then 'async_retry'
            when came_back_at_once and after.committed_offset - after.low > greatest(largest_batch, 500) then 'async_retry'
            when not came_back_at_once then 'replay'
            else 'unknown'
        end as told_by_commits
    from shapes
    where kind = 'regression'
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

with_causes as (
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
        previous_offset,
        advanced,
        gap_ms,
        kind,
        complete,
        producer_id,
        expires_at,
        cast(null as boolean) as is_late,
        cast(null as string) as told_by_commits
    from commits
    where kind != 'regression'
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        record_offset,
        committed_at,
        committed_offset,
        beside.previous_committed_at,
        beside.previous_offset,
        beside.advanced,
        gap_ms,
        'regression' as kind,
        beside.complete,
        beside.producer_id,
        beside.expires_at,
        is_late,
        told_by_commits
    from explained
),

-- Where group records are delivered, a group of which no source tells a generation only commits.
recorded as (
    select distinct
        cluster,
        day
    from changes
    where not has_none
),

attributed as (
    select
        commits.cluster,
        commits.day,
        commits.group_id,
        commits.topic,
        commits.partition_id,
        commits.committed_at,
        commits.record_offset,
        commits.previous_committed_at,
        commits.gap_ms,
        commits.previous_offset,
        commits.committed_offset,
        commits.advanced,
        commits.kind,
        commits.complete,
        commits.producer_id,
        commits.expires_at,
        -- What has a place in the log can't be laid over what has none.
        if(
            if(commits.record_offset is null, generations.by_place, generations.by_time), null,
            {{ last_before("generations", "commits.record_offset", "commits.committed_at") }}
        ) as stands,
        {{ last_before("holders", "commits.record_offset", "commits.committed_at") }} as holder,
        generations.group_id is null and recorded.cluster is not null as is_simple,
        commits.is_late,
        commits.told_by_commits
    from with_causes as commits
    left join generations
        on
            commits.cluster = generations.cluster
            and commits.day = generations.day
            and commits.group_id = generations.group_id
    left join holders
        on
            commits.cluster = holders.cluster
            and commits.day = holders.day
            and commits.group_id = holders.group_id
            and commits.topic = holders.topic
            and commits.partition_id = holders.partition_id
    left join recorded
        on
            commits.cluster = recorded.cluster
            and commits.day = recorded.day
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
    case
        when told_by_commits is null then null
        when stands.member_count = 0 then 'reset'
        when is_late and stands is not null then 'late_commit'
        when is_simple and told_by_commits != 'async_retry' then 'reset'
        else told_by_commits
    end as cause,
    case
        when kind = 'regression' then -advanced
        when kind in ('advance', 'repeat') then 0
    end as redelivered,
    stands.generation,
    if(stands is null, null, holder.client_id) as owner_client_id,
    complete,
    producer_id is not null as transactional,
    expires_at,
    stands.member_count = 0 as while_empty
from attributed
