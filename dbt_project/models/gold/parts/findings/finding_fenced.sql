-- one row per instance id that a second consumer used while the first still held it, and day
with

fenced_sessions as (
    select *
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'fenced'
),

instances as (
    select
        cluster,
        day,
        group_id,
        coalesce(instance_id, client_id, member_id) as subject,
        count(*) as times,
        min(ended_at) as first_at,
        array_join(array_sort(collect_set(client_id)), ', ') as clients
    from fenced_sessions
    group by all
)

select
    cluster,
    day,
    group_id,
    'fenced' as kind,
    subject,
    'warning' as severity,
    -- The first consumer may be dead already: the coordinator keeps its membership until the session expires.
    concat(
        'A second consumer joined group ', group_id, ' with group.instance.id ', subject, ' while the first still held it'
    ) as title,
    concat(
        'Fenced ', {{ quantity("times", "time") }}, ', first at ', {{ utc("first_at") }},
        if(clients = '', '', concat('; client ', clients))
    ) as evidence,
    'The fenced consumer stops with an error; what it had read and not committed is reprocessed' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    times as cost_members,
    'Give each running consumer its own group.instance.id, and restart a consumer only after the old one has closed'
        as recommendation,
    concat({{ quantity("times", "consumer") }}, if(times = 1, ' continues', ' continue'), ' to read') as expected_effect
from instances
