-- one row per generation that has members, of an incarnation of a group
with

measured_rebalances as (
    select * from {{ ref("measured_rebalances") }}
),

-- Rebalances of the previous days whose first commit may be on a selected day.
waiting_rebalances as (
    select
        * except (first_commit_after_ms, awaits_commit, paused_partition_ms),
        paused_partition_ms
    from {{ this }}
    where
        {{ is_day_in(previous_days()) }}
        and not {{ is_selected_day() }}
        and awaits_commit
),

rebalances as (
    select
        *,
        cast(null as bigint) as paused_partition_ms
    from measured_rebalances
    union all
    select * from waiting_rebalances
),

commits as (
    select *
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_effective_commit() }}
        and committed_offset is not null
),

commits_of_the_day as (
    select distinct
        cluster,
        day,
        group_id,
        committed_at
    from commits
    where {{ is_selected_day() }}
),

-- A group may commit only after midnight. The two kinds of rebalances look separately: usually there is no next day yet, or no
-- waiting rebalance, and then Spark reads no commits.
commits_of_the_next_day as (
    select commits.*
    from commits
    left semi join measured_rebalances
        on
            commits.cluster = measured_rebalances.cluster
            and commits.day = date_add(measured_rebalances.day, 1)
            and commits.group_id = measured_rebalances.group_id
    where {{ is_selected_day("date_sub(commits.day, 1)") }}
    union all
    select commits.*
    from commits
    left semi join waiting_rebalances
        on
            commits.cluster = waiting_rebalances.cluster
            and commits.day = date_add(waiting_rebalances.day, 1)
            and commits.group_id = waiting_rebalances.group_id
    where {{ is_selected_day("commits.day") }}
),

timeline as (
    select
        cluster,
        day,
        group_id,
        committed_at as at,
        false as is_on_the_next_day,
        cast(null as int) as incarnation,
        cast(null as int) as generation
    from commits_of_the_day
    union all
    select
        cluster,
        date_sub(day, 1) as day,
        group_id,
        committed_at as at,
        true as is_on_the_next_day,
        null as incarnation,
        null as generation
    from commits_of_the_next_day
    union all
    select
        cluster,
        day,
        group_id,
        completed_at as at,
        null as is_on_the_next_day,
        incarnation,
        generation
    from rebalances
    where completed_at is not null
),

-- Backwards in time, because Spark computes a frame of following rows anew for each row.
next_commits as (
    select
        *,
        min(if(not is_on_the_next_day, at, null)) over backwards as next_on_the_day,
        min(if(is_on_the_next_day, at, null)) over backwards as next_on_the_next_day
    from timeline
    window backwards as (
        partition by cluster, day, group_id
        order by at desc, generation is null desc
        rows between unbounded preceding and current row
    )
),

first_commits as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        unix_millis(coalesce(next_on_the_day, next_on_the_next_day)) - unix_millis(at) as first_commit_after_ms,
        next_on_the_day is null as awaits_commit
    from next_commits
    where generation is not null
),

-- Exact where the clients logged every start of the generation. While the group had no members nobody was meant to read.
pauses as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        count(*) as starts,
        if(
            bool_and(array_contains(evidence, 'client_log')), coalesce(sum(if(group_was_empty, 0, unread_ms)), 0), null
        ) as paused_partition_ms
    from {{ ref("read_starts") }}
    where
        {{ is_selected_day() }}
        and generation is not null
    group by all
),

joined as (
    select
        rebalances.*,
        -- A generation whose clients logged no start paused nothing.
        if(
            pauses.starts is null and array_contains(rebalances.evidence, 'client_log'), 0, pauses.paused_partition_ms
        ) as paused_partition_ms_of_the_day,
        first_commits.first_commit_after_ms,
        first_commits.awaits_commit
    from rebalances
    left join first_commits using (cluster, day, group_id, incarnation, generation)
    left join pauses using (cluster, group_id, incarnation, generation)
)

select
    cluster,
    day,
    group_id,
    incarnation,
    generation,
    group_type,
    assignor,
    started_at,
    completed_at,
    first_seen_at,
    duration_ms,
    join_ms,
    sync_ms,
    reason,
    reason_text,
    trigger_member_id,
    trigger_client_id,
    members_before,
    members_after,
    members_joined,
    members_left,
    members_evicted,
    partitions_assigned,
    partitions_moved,
    partitions_moved_minimum,
    coalesce(paused_partition_ms_of_the_day, paused_partition_ms) as paused_partition_ms,
    paused_partition_ms_at_most,
    first_commit_after_ms,
    coalesce(awaits_commit, false) as awaits_commit,
    in_storm,
    unobserved_before,
    evidence
from joined
