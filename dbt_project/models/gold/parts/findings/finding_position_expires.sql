-- one row per group that no longer commits and whose positions expire within a day, and day
with

positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        last_committed_at,
        expires_at
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits = 0
        and expires_at between timestamp(day) + interval 1 day and timestamp(day) + interval 2 days
),

-- A group with members keeps its positions.
with_members as (
    select distinct
        cluster,
        day,
        group_id
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and deleted_at is null
        and coalesce(member_count > 0, incarnation > 0)
),

by_group as (
    select
        positions.cluster,
        positions.day,
        positions.group_id,
        count(*) as partitions,
        min_by(struct(positions.topic, positions.partition_id, positions.expires_at), positions.expires_at) as first,
        max(positions.last_committed_at) as last_committed_at
    from positions
    left anti join with_members
        on
            positions.cluster = with_members.cluster
            and positions.day = with_members.day
            and positions.group_id = with_members.group_id
    group by all
)

select
    cluster,
    day,
    group_id,
    'position_expires' as kind,
    group_id as subject,
    'warning' as severity,
    concat(
        'The broker may forget ', {{ quantity("partitions", "position") }}, ' of ', group_id, ' within a day'
    ) as title,
    concat(
        'No members and no commit since ', {{ utc("last_committed_at") }}, '; the first, on ', first.topic, '-',
        first.partition_id, ', may go at ', {{ utc("first.expires_at") }}
    ) as evidence,
    'Whoever starts afterwards begins by auto.offset.reset: it skips records or repeats them' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Start the group again in time, raise offsets.retention.minutes, or delete the group if it is done'
        as recommendation,
    concat(
        {{ quantity("partitions", "position") }}, if(partitions = 1, ' stays', ' stay'), ' where reading ended'
    ) as expected_effect
from by_group
