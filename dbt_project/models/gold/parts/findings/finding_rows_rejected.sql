-- one row per group, rule that rejected its rows, and day; commits past the log end are a finding of their own
with

broken_rules as (
    select
        *,
        coalesce({{ rejected_value("group_id") }}, '') as group_id,
        explode(rules) as rule
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and replayed_at is null
),

rules as (
    select
        cluster,
        day,
        table_name,
        group_id,
        rule,
        count(*) as rejected_rows,
        min_by(source_file, struct(source_file, source_position)) as first_file
    from broken_rules
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
    concat({{ quantity("rejected_rows", "row") }}, ' of ', table_name, ' broke the rule ', rule) as title,
    concat('First file: ', first_file) as evidence,
    concat(
        {{ quantity("rejected_rows", "row") }}, if(rejected_rows = 1, ' is', ' are'),
        ' in quarantine and missing from the numbers of this day'
    ) as cost,
    rejected_rows as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat('Look at them in quality.rejected_rows of ', day, ', and correct the source or the rule') as recommendation,
    'The numbers of this day include them' as expected_effect
from rules
