-- one row per group, rule that rejected its rows, and day; commits past the log end are a finding of their own
with

rejected as (
    select
        cluster,
        day,
        table_name,
        coalesce(get_json_object(row_json, '$.group_id'), '') as group_id,
        explode(rules) as rule,
        source_file,
        source_position
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and replayed_at is null
),

by_rule as (
    select
        cluster,
        day,
        table_name,
        group_id,
        rule,
        count(*) as rows_rejected,
        min_by(source_file, struct(source_file, source_position)) as first_file
    from rejected
    where rule != 'commit_is_not_past_the_log_end'
    group by all
)

select
    cluster,
    day,
    group_id,
    'rows_rejected' as kind,
    concat(table_name, ' ', rule) as subject,
    'warning' as severity,
    concat({{ quantity("rows_rejected", "row") }}, ' for ', table_name, ' broke the rule ', rule) as title,
    concat('The first in ', first_file) as evidence,
    concat({{ quantity("rows_rejected", "row") }}, ' in quarantine, and in no number of this day') as cost,
    rows_rejected as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat('Look at them in quality.rejected_rows of ', day, ', and put the source right, or the rule') as recommendation,
    'The numbers of this day count them' as expected_effect
from by_rule
