-- one row per finding and per setting to change of a group, and day, worst first
with

findings as (
    select *
    from {{ ref("findings") }}
    where
        {{ is_selected_day() }}
        and group_id != ''
),

-- Clients with the same setting share a row. Settings that have a finding of their own are left out.
config_findings as (
    select
        cluster,
        day,
        group_id,
        setting,
        value,
        advice,
        because,
        array_sort(collect_set(nullif(client_id, ''))) as clients
    from {{ ref("config_findings") }}
    where
        {{ is_selected_day() }}
        and severity != 'critical'
        and rule not in ('members_do_not_outnumber_partitions', 'static_membership_spares_rebalances')
    group by all
)

select
    cluster,
    day,
    group_id,
    cast(null as timestamp) as happened_at,
    cast(rank + case severity when 'critical' then 0 when 'warning' then 1000000 else 3000000 end as bigint) as turn,
    'advice' as kind,
    recommendation as sentence,
    concat(title, '. Cost: ', cost, '. Expected: ', expected_effect) as evidence,
    array('gold.findings') as sources
from findings
union all
select
    cluster,
    day,
    group_id,
    null as happened_at,
    2000000L as turn,
    'advice' as kind,
    concat(
        advice,
        case
            when size(clients) = 0 then ''
            when size(clients) <= 3 then concat(' (', array_join(clients, ', '), ')')
            else concat(' (', array_join(slice(clients, 1, 2), ', '), ' and ', size(clients) - 2, ' more)')
        end
    ) as sentence,
    concat(setting, ' is ', coalesce(value, 'unknown'), '. ', because) as evidence,
    array('gold.config_findings') as sources
from config_findings
