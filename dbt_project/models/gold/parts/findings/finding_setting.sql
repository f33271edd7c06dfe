-- one row per client and setting with which it can't work, and day
select
    cluster,
    day,
    group_id,
    'setting' as kind,
    concat(client_id, ' ', setting) as subject,
    'critical' as severity,
    concat(
        if(client_id = '', 'A consumer', concat('Consumer ', client_id)), ' of group ', group_id, ' can''t work with ', setting,
        ' = ', value
    ) as title,
    because as evidence,
    'It does not start, or is removed from the group and rejoins again and again' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(1 as bigint) as cost_members,
    advice as recommendation,
    '1 more consumer that reads' as expected_effect
from {{ ref("config_findings") }}
where
    {{ is_selected_day() }}
    and severity = 'critical'
