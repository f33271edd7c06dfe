-- one row per origin whose files contain nothing about consumer groups, or reporter of lag that stopped, and day
select
    cluster,
    day,
    '' as group_id,
    'silent_source' as kind,
    concat(source, ' ', subject) as subject,
    'warning' as severity,
    if(
        ended_at is null,
        concat(subject, ' delivers files of ', source, ', but nothing in them is about a consumer group'),
        concat('Reporter ', subject, ' stopped to report lag while others went on')
    ) as title,
    concat(upper(left(observation, 1)), substr(observation, 2)) as evidence,
    'What it should report is missing from all numbers' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when source = 'lag_metrics'
            then concat(
                'Check that the exporter can reach the cluster and may describe its groups; ',
                'metrics of your own need names in [metrics.names]'
            )
        when source = 'group_logs' then 'Check its log level (INFO) and layout; describe a layout of your own in [logs.patterns]'
        else 'Check what is delivered there'
    end as recommendation,
    'Its numbers count, and can be compared with those of other sources' as expected_effect
from {{ ref("silent_exporters") }}
