-- one row per client and setting that it can't work with, and day
select
    cluster,
    day,
    group_id,
    'setting' as kind,
    concat(client_id, ' ', setting) as subject,
    'critical' as severity,
    concat(if(client_id = '', 'A consumer', client_id), ' of ', group_id, ' can''t work with ', setting, ' = ', value) as title,
    because as evidence,
    'It does not start, or is removed and comes back for ever' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(1 as bigint) as cost_members,
    concat('Set ', setting, ': ', advice) as recommendation,
    '1 consumer more that reads' as expected_effect
from {{ ref("config_findings") }}
where
    {{ is_selected_day() }}
    and severity = 'critical'
