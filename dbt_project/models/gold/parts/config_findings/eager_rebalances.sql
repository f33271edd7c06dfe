-- one row per group whose members stopped reading partitions that stayed with them, and day
with

incidents as (
    {{ coordinator_incidents() }}
)

-- An eager group stops to read also the partitions that stay with their member. No assignor helps while a broker is away.
select
    starts.cluster,
    starts.day,
    starts.group_id,
    sum(starts.unread_ms) as kept_unread_ms
from {{ ref("read_starts") }} as starts
left anti join incidents
    on
        starts.cluster = incidents.cluster
        and starts.group_id = incidents.group_id
        and {{ is_within_incident("starts.started_at", "incidents") }}
where
    {{ is_selected_day("starts.day") }}
    and starts.cause = 'kept'
    and starts.ended_by = 'revoked'
    and not coalesce(starts.group_was_empty, true)
group by all
