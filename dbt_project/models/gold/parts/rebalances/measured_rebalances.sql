-- one row per rebalance of the selected days: how long it took, what it paused at most, and whether it belongs to a storm
with

-- A day knows its own rebalances and those of the day before, so that a storm continues after midnight.
rebalances as (
    select
        *,
        day as known_on
    from {{ source("silver", "rebalances") }}
    where {{ is_selected_day() }}
    union all
    select
        *,
        date_add(day, 1) as known_on
    from {{ source("silver", "rebalances") }}
    where {{ is_day_in(previous_days()) }}
),

storm_ends as (
    select
        *,
        coalesce(
            told_at <= lag(told_at, {{ storm_rebalances() | int - 1 }}) over (
                partition by cluster, known_on, group_id order by told_at
            ) + interval {{ storm_minutes() }} minutes,
            false
        ) as ends_a_storm
    from rebalances
),

storms as (
    select
        *,
        max(ends_a_storm) over (
            partition by cluster, known_on, group_id
            order by told_at
            rows between current row and {{ storm_rebalances() | int - 1 }} following
        ) as in_storm
    from storm_ends
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
    told_at as first_seen_at,
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
    -- An eager group revokes all its partitions first; other groups, Kafka Streams among them, only those that move.
    case
        when group_type != 'classic' or assignor in ('cooperative-sticky', 'stream') then partitions_moved
        when assignor is null then null
        when members_before = 0 then 0
        else partitions_before
    end * duration_ms as paused_partition_ms_at_most,
    in_storm,
    unobserved_before,
    evidence
from storms
where day = known_on
