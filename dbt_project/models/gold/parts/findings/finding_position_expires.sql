-- one row per group that no longer commits and whose committed offsets expire within a day, and day
with

expiring_positions as (
    select *
    from {{ ref("commit_health") }}
    where
        {{ is_selected_day() }}
        and commits = 0
        and expires_at between timestamp(day) + interval 1 day and timestamp(day) + interval 2 days
),

-- A group with members keeps its committed offsets.
groups_with_members as (
    select *
    from {{ source("silver", "groups") }}
    where
        {{ is_selected_day() }}
        and deleted_at is null
        and coalesce(member_count > 0, incarnation > 0)
),

groups as (
    select
        cluster,
        day,
        group_id,
        count(*) as partitions,
        min_by(
            struct({{ topic_partition("expiring_positions") }} as topic_partition, expiring_positions.expires_at),
            expiring_positions.expires_at
        ) as first_expiry,
        max(expiring_positions.last_committed_at) as last_committed_at
    from expiring_positions
    left anti join groups_with_members using (cluster, day, group_id)
    group by all
)

select
    cluster,
    day,
    group_id,
    'position_expires' as kind,
    group_id as subject,
    'warning' as severity,
    concat({{ quantity("partitions", "committed offset") }}, ' of group ', group_id, ' may expire within a day') as title,
    concat(
        'No members and no commit since ', {{ utc("last_committed_at") }}, '; the first, on ', first_expiry.topic_partition,
        ', may expire at ', {{ utc("first_expiry.expires_at") }}
    ) as evidence,
    'A consumer that starts afterwards begins where auto.offset.reset says: records are skipped or reprocessed' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Restart the group in time, raise offsets.retention.minutes, or delete the group if it is no longer needed'
        as recommendation,
    concat({{ quantity("partitions", "committed offset") }}, ' kept') as expected_effect
from groups
