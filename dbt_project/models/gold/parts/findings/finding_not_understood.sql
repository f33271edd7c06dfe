-- one row per source and format with files or records that are not understood, and day of delivery
with

files as (
    select *
    from {{ source("bronze", "files") }}
    where
        {{ is_selected_day("delivered_on") }}
        and (not_understood > 0 or problem is not null)
),

formats as (
    select
        cluster,
        delivered_on,
        source,
        format,
        count(*) as files,
        sum(not_understood) as records,
        min_by(concat(source_file, coalesce(concat(': ', problem), '')), source_file) as first_file
    from files
    group by all
)

select
    cluster,
    delivered_on as day,
    '' as group_id,
    'not_understood' as kind,
    concat(source, ' ', format) as subject,
    'warning' as severity,
    concat(
        {{ quantity("records", "record") }}, ' of ', source, ' in ', {{ quantity("files", "file") }},
        if(records = 1, ' was', ' were'), ' not understood'
    ) as title,
    concat('First file: ', first_file) as evidence,
    'They are missing from all numbers' as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'See unknown_shapes in gold.coverage and report them to Lagoon; deliver a truncated file again in full' as recommendation,
    'The numbers include them' as expected_effect
from formats
