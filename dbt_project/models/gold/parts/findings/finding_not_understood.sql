-- one row per source and format with files or records that nothing understands, and day of delivery
with

files as (
    select
        cluster,
        delivered_on,
        source,
        format,
        source_file,
        records,
        not_understood,
        problem
    from {{ source("bronze", "files") }}
    where
        {{ is_selected_day("delivered_on") }}
        and (not_understood > 0 or problem is not null)
),

by_format as (
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
    concat({{ quantity("records", "record") }}, ' of ', source, ' not understood in ', {{ quantity("files", "file") }}) as title,
    concat('The first in ', first_file) as evidence,
    'What they say is in no number' as cost,
    records as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'See unknown_shapes in gold.coverage and report them to Lagoon; a cut file is delivered again whole' as recommendation,
    'The numbers count them' as expected_effect
from by_format
