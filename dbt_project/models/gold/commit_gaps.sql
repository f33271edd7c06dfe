-- one row per effective commit: its distance in time and in offsets from the effective commit before it
with

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        previous_committed_offset,
        committed_offset,
        committed_offset - previous_committed_offset as advanced,
        after_tombstone,
        complete
    from {{ source("silver", "offset_commits") }}
    where
        {{ of_the_days() }}
        and coalesce(transaction, 'none') in ('none', 'committed')
        and committed_offset is not null
),

of_a_kind as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        unix_millis(committed_at) - unix_millis(previous_committed_at) as gap_ms,
        previous_committed_offset as previous_offset,
        committed_offset,
        advanced,
        case
            when after_tombstone then 'after_tombstone'
            when previous_committed_offset is null then 'first'
            when advanced < 0 then 'regression'
            when advanced = 0 then 'repeat'
            else 'advance'
        end as kind,
        complete
    from commits
),

-- regressions one right after another are one fall: it begins under a top, and the commit after it tells how it ended
in_falls as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        gap_ms,
        previous_offset,
        committed_offset,
        advanced,
        kind,
        complete,
        count_if(kind != 'regression') over in_order as fall,
        lead(if(kind != 'regression', committed_offset, null)) ignore nulls over in_order as next_offset,
        if(kind = 'advance' and lag(kind, 1, 'first') over in_order != 'regression', advanced, 0) as batch
    from of_a_kind
    window in_order as (
        partition by cluster, day, group_id, topic, partition_id order by record_offset, committed_at
    )
),

with_tops as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        gap_ms,
        previous_offset,
        committed_offset,
        advanced,
        kind,
        complete,
        next_offset,
        max(if(kind = 'regression', previous_offset, null)) over of_the_fall as top,
        min(if(kind = 'regression', committed_offset, null)) over of_the_fall as low,
        max(batch) over of_the_group as largest_batch
    from in_falls
    window
        of_the_fall as (partition by cluster, day, group_id, topic, partition_id, fall),
        of_the_group as (partition by cluster, day, group_id)
),

with_causes as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        gap_ms,
        previous_offset,
        committed_offset,
        advanced,
        kind,
        complete,
        next_offset >= top as came_back_at_once,
        case
            when kind != 'regression' then null
            when gap_ms <= 100 then 'async_retry'
            when next_offset < top then 'replay'
            when next_offset - low > greatest(largest_batch, 500) then 'async_retry'
            else 'unknown'
        end as cause
    from with_tops
),

with_company as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_at,
        record_offset,
        producer_id,
        expires_at,
        previous_committed_at,
        gap_ms,
        previous_offset,
        committed_offset,
        advanced,
        kind,
        complete,
        cause = 'unknown' and came_back_at_once and count_if(cause = 'replay') over (
            partition by cluster, day, group_id
            order by unix_seconds(committed_at)
            range between 60 preceding and 60 following
        ) > 0 as replayed_with_others,
        cause
    from with_causes
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
    if(replayed_with_others, 'replay', cause) as cause,
    case
        when kind = 'regression' then -advanced
        when kind in ('advance', 'repeat') then 0
    end as redelivered,
    cast(null as int) as generation,
    cast(null as string) as owner_client_id,
    complete,
    producer_id is not null as transactional,
    expires_at
from with_company
