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
        -- An eager group gives everything back before it goes on; the others only what moves.
        if(
            group_type = 'classic' and assignor != 'cooperative-sticky', partitions_before, partitions_moved
        ) as partitions_paused,
        unobserved_before,
        evidence
    from {{ source("silver", "rebalances") }}
    where {{ of_the_days() }}
),

commits as (
    select distinct
        cluster,
        day,
        group_id,
        committed_at as at
    from {{ source("silver", "offset_commits") }}
    where
        {{ of_the_days() }}
        and coalesce(transaction, 'none') in ('none', 'committed')
        and committed_offset is not null
),

in_time as (
    select
        cluster,
        day,
        group_id,
        at,
        cast(null as int) as incarnation,
        cast(null as int) as generation
    from commits
    union all
    select
        cluster,
        day,
        group_id,
        completed_at as at,
        incarnation,
        generation
    from facts
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
        min(if(generation is null, at, null)) over (
            partition by cluster, day, group_id
            order by at desc, generation is null desc
            rows between unbounded preceding and current row
        ) as committed_at
    from in_time
),

first_commits as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        unix_millis(committed_at) - unix_millis(at) as first_commit_after_ms
    from next_commits
    where generation is not null
),

dense as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        told_at,
        coalesce(
            told_at <= lag(told_at, {{ others_in_a_storm() }}) over (partition by cluster, day, group_id order by told_at)
            + interval {{ storm_minutes() }} minutes,
            false
        ) as ends_a_storm,
        day
    from facts
),

stormy as (
    select
        cluster,
        group_id,
        incarnation,
        generation,
        max(ends_a_storm) over (
            partition by cluster, day, group_id
            order by told_at
            rows between current row and {{ others_in_a_storm() }} following
        ) as in_storm
    from dense
)

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
    first_commits.first_commit_after_ms,
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
left join first_commits
    on
        facts.cluster = first_commits.cluster
        and facts.group_id = first_commits.group_id
        and facts.incarnation = first_commits.incarnation
        and facts.generation = first_commits.generation
