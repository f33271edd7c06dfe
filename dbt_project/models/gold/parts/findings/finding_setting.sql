-- one row per group and setting with which its consumers can't work, or barely, and day
with

settings as (
    select
        cluster,
        day,
        group_id,
        setting,
        value,
        advice,
        because,
        severity,
        array_sort(collect_set(nullif(client_id, ''))) as clients,
        count(distinct client_id) as members
    from {{ ref("config_findings") }}
    where
        {{ is_selected_day() }}
        and (severity = 'critical' or (severity = 'warning' and rule = 'heartbeat_is_a_third_of_the_session'))
    group by all
)

select
    cluster,
    day,
    group_id,
    'setting' as kind,
    concat(setting, ' ', value) as subject,
    severity,
    concat(
        case
            when size(clients) = 0 then 'A consumer'
            when size(clients) = 1 then concat('Consumer ', clients[0])
            else {{ quantity("size(clients)", "consumer") }}
        end,
        ' of group ', group_id, if(severity = 'critical', ' can''t work with ', ' barely work'),
        if(severity = 'critical', '', concat(if(size(clients) > 1, '', 's'), ' with ')), setting, ' = ', value
    ) as title,
    concat(
        because,
        if(size(clients) > 1, concat(' (', array_join(slice(clients, 1, 5), ', '), if(size(clients) > 5, ', …', ''), ')'), '')
    ) as evidence,
    if(
        severity = 'critical', 'It does not start, or is removed from the group and rejoins again and again',
        'A pause of that length removes the member from the group, and its partitions are read by others'
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    if(severity = 'critical', members, null) as cost_members,
    advice as recommendation,
    if(
        severity = 'critical', {{ quantity("members", "more consumer") }} || if(members = 1, ' that reads', ' that read'),
        'A session outlasts two lost heartbeats'
    ) as expected_effect
from settings
