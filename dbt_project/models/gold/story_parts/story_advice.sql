-- one row per finding and per finding on a setting of a group, and day: what to change, worst first
select
    cluster,
    day,
    group_id,
    cast(null as timestamp) as happened_at,
    cast(case severity when 'critical' then 0 when 'warning' then 1 else 3 end as bigint) as turn,
    'advice' as kind,
    recommendation as sentence,
    concat(title, '. Expected: ', expected_effect) as evidence,
    array('gold.findings') as sources
from {{ ref("findings") }}
where
    {{ of_the_days() }}
    and group_id != ''
union all
select
    cluster,
    day,
    group_id,
    null as happened_at,
    2L as turn,
    'advice' as kind,
    concat(setting, ' of ', if(client_id = '', 'its consumers', client_id), ': ', advice) as sentence,
    concat('It is ', coalesce(value, 'not told'), '. ', because) as evidence,
    array('gold.config_findings') as sources
from {{ ref("config_findings") }}
where {{ of_the_days() }}
