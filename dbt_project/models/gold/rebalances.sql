-- one row per generation that has members, of an incarnation of a group
with

facts as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        group_type,
        assignor,
        told_at,
        started_at,
        completed_at,
        unix_millis(completed_at) - unix_millis(started_at) as duration_ms,
        unix_millis(stabilized_at) - unix_millis(started_at) as join_ms,
        if(group_type = 'classic', unix_millis(completed_at) - unix_millis(stabilized_at), null) as sync_ms,
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
        -- An eager group gives everything back before it goes on; the others, Kafka Streams among them, only what moves.
        case
            when group_type != 'classic' or assignor in ('cooperative-sticky', 'stream') then partitions_moved
            when assignor is null then null
            when members_before = 0 then 0
            else partitions_before
        end as partitions_paused,
        unobserved_before,
        evidence
    from {{ source("silver", "rebalances") }}
    where {{ is_selected_day() }}
),

-- What a day sees of storms: its own rebalances and those of the day before.
around as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        told_at,
        true as is_of_the_day
    from facts
    union all
    select
        cluster,
        date_add(day, 1) as day,
        group_id,
        incarnation,
        generation,
        told_at,
        false as is_of_the_day
    from {{ source("silver", "rebalances") }}
    where {{ is_day_in(previous_days()) }}
),

dense as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        told_at,
        is_of_the_day,
        coalesce(
            told_at <= lag(told_at, {{ storm_rebalances() | int - 1 }}) over (partition by cluster, day, group_id order by told_at)
            + interval {{ storm_minutes() }} minutes,
            false
        ) as ends_a_storm
    from around
),

stormy as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        is_of_the_day,
        max(ends_a_storm) over (
            partition by cluster, day, group_id
            order by told_at
            rows between current row and {{ storm_rebalances() | int - 1 }} following
        ) as in_storm
    from dense
),

made as (
    select
        facts.cluster,
        facts.day,
        facts.group_id,
        facts.incarnation,
        facts.generation,
        facts.group_type,
        facts.assignor,
        facts.started_at,
        facts.completed_at,
        facts.duration_ms,
        facts.join_ms,
        facts.sync_ms,
        facts.reason,
        facts.reason_text,
        facts.trigger_member_id,
        facts.trigger_client_id,
        facts.members_before,
        facts.members_after,
        facts.members_joined,
        facts.members_left,
        facts.members_evicted,
        facts.partitions_assigned,
        facts.partitions_moved,
        facts.partitions_moved_minimum,
        facts.partitions_paused * facts.duration_ms as paused_partition_ms,
        stormy.in_storm,
        facts.unobserved_before,
        facts.evidence
    from facts
    inner join stormy
        on
            facts.cluster = stormy.cluster
            and facts.group_id = stormy.group_id
            and facts.incarnation = stormy.incarnation
            and facts.generation = stormy.generation
            and stormy.is_of_the_day
),

-- those of the days before that may find their first commit on these
standing as (
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
        paused_partition_ms,
        in_storm,
        unobserved_before,
        evidence
    from {{ this }}
    where
        {{ is_day_in(previous_days()) }}
        and not {{ is_selected_day() }}
        and awaits_commit
),

told as (
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
        paused_partition_ms,
        in_storm,
        unobserved_before,
        evidence
    from made
    union all
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
        paused_partition_ms,
        in_storm,
        unobserved_before,
        evidence
    from standing
),

commits as (
    select distinct
        cluster,
        day,
        group_id,
        committed_at as at
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and coalesce(transaction, 'none') in ('none', 'committed')
        and committed_offset is not null
),

-- A group may commit only after midnight. Days are looked at apart: mostly there is no next one yet, or nothing that stands.
later_commits as (
    select
        commits.cluster,
        date_sub(commits.day, 1) as day,
        commits.group_id,
        commits.committed_at as at
    from {{ source("silver", "offset_commits") }} as commits
    left semi join facts
        on
            commits.cluster = facts.cluster
            and commits.day = date_add(facts.day, 1)
            and commits.group_id = facts.group_id
    where
        {{ is_selected_day("date_sub(commits.day, 1)") }}
        and coalesce(commits.transaction, 'none') in ('none', 'committed')
        and commits.committed_offset is not null
    union all
    select
        commits.cluster,
        date_sub(commits.day, 1) as day,
        commits.group_id,
        commits.committed_at as at
    from {{ source("silver", "offset_commits") }} as commits
    left semi join standing
        on
            commits.cluster = standing.cluster
            and commits.day = date_add(standing.day, 1)
            and commits.group_id = standing.group_id
    where
        {{ is_selected_day("commits.day") }}
        and coalesce(commits.transaction, 'none') in ('none', 'committed')
        and commits.committed_offset is not null
),

in_time as (
    select
        cluster,
        day,
        group_id,
        at,
        false as is_later,
        cast(null as int) as incarnation,
        cast(null as int) as generation
    from commits
    union all
    select
        cluster,
        day,
        group_id,
        at,
        true as is_later,
        null as incarnation,
        null as generation
    from later_commits
    union all
    select
        cluster,
        day,
        group_id,
        completed_at as at,
        null as is_later,
        incarnation,
        generation
    from told
    where completed_at is not null
),

-- Backwards, since a frame that follows the row is read anew for every row.
next_commits as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        at,
        min(if(not is_later, at, null)) over backwards as on_the_day,
        min(if(is_later, at, null)) over backwards as on_the_next_day
    from in_time
    window backwards as (
        partition by cluster, day, group_id
        order by at desc, generation is null desc
        rows between unbounded preceding and current row
    )
),

first_commits as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        unix_millis(coalesce(on_the_day, on_the_next_day)) - unix_millis(at) as first_commit_after_ms,
        on_the_day is null as awaits_commit
    from next_commits
    where generation is not null
)

select
    told.cluster,
    told.day,
    told.group_id,
    told.incarnation,
    told.generation,
    told.group_type,
    told.assignor,
    told.started_at,
    told.completed_at,
    told.duration_ms,
    told.join_ms,
    told.sync_ms,
    told.reason,
    told.reason_text,
    told.trigger_member_id,
    told.trigger_client_id,
    told.members_before,
    told.members_after,
    told.members_joined,
    told.members_left,
    told.members_evicted,
    told.partitions_assigned,
    told.partitions_moved,
    told.partitions_moved_minimum,
    told.paused_partition_ms,
    first_commits.first_commit_after_ms,
    coalesce(first_commits.awaits_commit, false) as awaits_commit,
    told.in_storm,
    told.unobserved_before,
    told.evidence
from told
left join first_commits
    on
        told.cluster = first_commits.cluster
        and told.group_id = first_commits.group_id
        and told.incarnation = first_commits.incarnation
        and told.generation = first_commits.generation
