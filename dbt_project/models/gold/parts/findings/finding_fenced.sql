-- one row per instance id that a consumer came with while another still held it, and day
with

fenced as (
    select
        cluster,
        day,
        group_id,
        coalesce(instance_id, client_id, member_id) as subject,
        count(*) as times,
        min(ended_at) as first_at,
        array_join(array_sort(collect_set(client_id)), ', ') as clients
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'fenced'
    group by all
)

select
    cluster,
    day,
    group_id,
    'fenced' as kind,
    subject,
    'warning' as severity,
    -- The first may be dead already: the broker holds its place until its session ends.
    concat('A second consumer of ', group_id, ' came as instance ', subject, ' while the first still held it') as title,
    concat(
        {{ quantity("times", "time") }}, ' one was fenced, first at ', {{ utc("first_at") }},
        if(clients = '', '', concat('; client ', clients))
    ) as evidence,
    'The fenced consumer stops with an error, and what it had not committed comes again' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    times as cost_members,
    'Give each running consumer a group.instance.id of its own, and start it again when the old one has closed' as recommendation,
    concat({{ quantity("times", "consumer") }}, if(times = 1, ' goes on reading', ' go on reading')) as expected_effect
from fenced
