-- one row per effective commit below the effective commit before it: its likely cause and what it cost
with

causes as (
    select * from {{ ref("regression_causes") }}
),

-- A lower offset costs nothing until somebody starts to read there: the start that led to it, or the next one after it.
starts_around as (
    select
        causes.cluster,
        causes.group_id,
        causes.topic,
        causes.partition_id,
        causes.committed_at,
        causes.record_offset,
        max_by(starts.reprocessed_at_least, starts.started_at) filter (
            where starts.started_at <= causes.committed_at and starts.started_at >= causes.previous_committed_at
        ) as reprocessed_before,
        min_by(struct(starts.committed_before, starts.reprocessed_at_least), starts.started_at) filter (
            where starts.started_at > causes.committed_at
        ) as next_start
    from causes
    inner join {{ ref("read_starts") }} as starts using (cluster, group_id, topic, partition_id)
    where
        {{ is_selected_day("starts.day") }}
        and starts.day = causes.day
    group by all
),

with_costs as (
    select
        causes.*,
        case
            when starts_around.reprocessed_before > 0 then starts_around.reprocessed_before
            when starts_around.next_start.committed_before = causes.committed_offset
                then starts_around.next_start.reprocessed_at_least
            when causes.next_commit.committed_offset >= causes.top then 0
            -- Its commits go on from the lower offset, so somebody reads there.
            when causes.cause = 'replay' and causes.next_commit.committed_offset > causes.committed_offset then -causes.advanced
            when causes.next_commit is not null then 0
        end as redelivered
    from causes
    left join starts_around using (cluster, group_id, topic, partition_id, committed_at, record_offset)
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
    cause,
    distance_back,
    redelivered,
    generation,
    owner_client_id,
    complete,
    transactional,
    expires_at,
    while_empty,
    out_of_range
from with_costs
