-- one row per session of a member; one that is still open is told as the cluster's last day left it
with

last_days as (
    select
        cluster,
        max(day) as day
    from {{ source("silver", "member_sessions") }}
    group by all
)

select
    sessions.cluster,
    sessions.day,
    sessions.group_id,
    sessions.member_id,
    sessions.joined_at,
    sessions.client_id,
    sessions.client_host,
    sessions.instance_id,
    sessions.ended_at,
    sessions.ended_by,
    sessions.generations,
    sessions.next_member_id
from {{ source("silver", "member_sessions") }} as sessions
left join last_days
    on
        sessions.cluster = last_days.cluster
        and sessions.day = last_days.day
where
    ({{ of_the_days("sessions.day") }} and sessions.ended_at is not null)
    or (sessions.ended_by = 'still_member' and last_days.day is not null)
