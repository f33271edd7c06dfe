-- one row per cluster, source or origin from which something unusual came or nothing came, what is unusual, and day
with

arrivals as (
    select
        *,
        coalesce(nullif(concat_ws(' ', source, origin), ''), concat('cluster ', cluster)) as subject
    from {{ ref("arrivals") }}
    where {{ is_selected_day() }}
),

unusual as (
    select
        cluster,
        day,
        subject,
        explode(array(
            struct(
                'fell_silent' as kind,
                is_silent as is_broken,
                concat(subject, ' fell silent') as title,
                concat(
                    'No record since ', silent_since,
                    ', although records came on each of the 7 days or of the three same weekdays before'
                ) as evidence,
                'What it should report is missing from all numbers' as cost,
                'Find out whether it runs and whether its files are still copied to landing' as recommendation
            ),
            struct(
                'hours_missing' as kind,
                array_size(missing_hours) > 0 as is_broken,
                concat(
                    subject, ' has no records in ', {{ quantity("size(missing_hours)", "hour") }},
                    ' in which it has some on other ', date_format(day, 'EEEE'), 's'
                ) as title,
                concat('UTC hours: ', array_join(missing_hours, ', ')) as evidence,
                'What happened in these hours is missing from all numbers' as cost,
                'Deliver the files of these hours; if there are none, find out why the source stopped' as recommendation
            ),
            struct(
                'unusual_volume' as kind,
                compared_records < fewest_records or compared_records > most_records as is_broken,
                concat(
                    subject, ' has ', if(compared_records < usual_records, 'fewer', 'more'), ' records than is usual for a ',
                    date_format(day, 'EEEE')
                ) as title,
                concat(
                    {{ quantity("compared_records", "record") }}, ' before ', compared_hours,
                    ':00; on the same weekday of the weeks before ',
                    format_number(usual_records, 0),
                    ', and ',
                    format_number(greatest(fewest_records, 0), 0),
                    ' to ',
                    format_number(most_records, 0), ' would be usual'
                ) as evidence,
                'Numbers of this day may not be comparable with those of other days' as cost,
                'Find out what changed: missing files, another log level, a new or a removed application' as recommendation
            ),
            struct(
                'less_understood' as kind,
                not_understood > most_not_understood as is_broken,
                concat('More records of ', subject, ' than usual are not understood') as title,
                concat(
                    {{ quantity("not_understood", "record") }}, ' of ', format_number(records, 0), '; up to ',
                    format_number(most_not_understood, 0), ' would be usual'
                ) as evidence,
                'What these records report is missing from all numbers' as cost,
                'Look at unknown_shapes of gold.coverage: was a broker, client or exporter upgraded?' as recommendation
            ),
            struct(
                'metrics_changed' as kind,
                array_size(missing_values) > 0 or array_size(new_values) > 0 as is_broken,
                concat(subject, ' reports other values than before') as title,
                concat_ws(
                    '; ',
                    if(size(missing_values) > 0, concat('No longer: ', array_join(missing_values, ', ')), null),
                    if(size(new_values) > 0, concat('New: ', array_join(new_values, ', ')), null)
                ) as evidence,
                'What is no longer reported is missing from lag and log ends' as cost,
                'If a metric was renamed, give its new name in [metrics.names]' as recommendation
            )
        )) as finding
    from arrivals
)

select
    cluster,
    day,
    '' as group_id,
    finding.kind,
    subject,
    'warning' as severity,
    finding.title,
    finding.evidence,
    finding.cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    finding.recommendation,
    'The numbers of the day are complete, and can be compared with those of other days' as expected_effect
from unusual
where finding.is_broken
