-- one row per file, day and hour: its rows in bronze, and what became of those that silver takes
with

-- Commits and events without a time are not understood or ignored in any hour, but silver takes them.
bronze_rows as (
    select
        source_file,
        day,
        hour(coalesce(recorded_at, committed_at)) as hour,
        coalesce(recorded_at, committed_at) as at,
        if(coalesce(recorded_at, committed_at) is null, null, kind not in ('unknown', 'damaged')) as is_understood,
        kind in ('commit', 'unplaced_commit') or (kind = 'group' and record_offset is not null) as is_taken
    from {{ source("bronze", "offset_records") }}
    where
        {{ is_selected_delivery() }}
        and (coalesce(recorded_at, committed_at) is not null or kind in ('commit', 'unplaced_commit'))
    union all
    select
        source_file,
        day,
        hour(happened_at) as hour,
        happened_at as at,
        if(happened_at is null, null, kind != 'unknown') as is_understood,
        kind in ('event', 'config') as is_taken
    from {{ source("bronze", "log_lines") }}
    where
        {{ is_selected_delivery() }}
        and (happened_at is not null or kind in ('event', 'config'))
    union all
    select
        source_file,
        day,
        hour(sampled_at) as hour,
        sampled_at as at,
        kind not in ('unknown', 'rejected_file') as is_understood,
        kind = 'group_offset' as is_taken
    from {{ source("bronze", "lag_readings") }}
    where
        {{ is_selected_delivery() }}
        and sampled_at is not null
),

silver_rows as (
    select
        source_file,
        day,
        hour(coalesce(recorded_at, committed_at)) as hour,
        'accepted' as outcome
    from {{ source("silver", "offset_commits") }}
    where {{ is_selected_day() }}
    union all
    -- A group record becomes several rows of silver or none, so it is counted by its place in the log.
    select
        min(source_file) as source_file,
        day,
        min(hour(recorded_at)) as hour,
        'accepted' as outcome
    from {{ source("bronze", "offset_records") }}
    where
        {{ is_selected_delivery() }}
        and {{ is_selected_day() }}
        and kind = 'group'
        and record_offset is not null
        and recorded_at is not null
    group by cluster, offsets_partition, record_offset, day
    union all
    select
        source_file,
        day,
        hour(happened_at) as hour,
        'accepted' as outcome
    from {{ source("silver", "group_events") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(started_at) as hour,
        'accepted' as outcome
    from {{ source("silver", "client_configs") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(sampled_at) as hour,
        'accepted' as outcome
    from {{ source("silver", "lag_samples") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(
            cast(
                coalesce(
                    {{ rejected_value("recorded_at") }}, {{ rejected_value("committed_at") }}, {{ rejected_value("sampled_at") }}
                ) as timestamp
            )
        ) as hour,
        'rejected' as outcome
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and replayed_at is null
        and table_name in ('silver.offset_commits', 'silver.lag_samples')
    union all
    select
        source_file,
        day,
        hour(recorded_at) as hour,
        'hole' as outcome
    from {{ source("silver", "log_holes") }}
    where {{ is_selected_day() }}
),

rows_with_outcomes as (
    select
        *,
        null as outcome
    from bronze_rows
    union all
    select
        source_file,
        day,
        hour,
        null as at,
        null as is_understood,
        null as is_taken,
        outcome
    from silver_rows
)

select
    source_file,
    day,
    hour,
    count(is_understood) as bronze_rows,
    count_if(is_understood) as rows_understood,
    count_if(not is_understood) as rows_not_understood,
    count_if(is_taken) as rows_taken,
    count_if(outcome = 'accepted') as accepted,
    count_if(outcome = 'rejected') as rejected,
    count_if(outcome = 'hole') as holes,
    min(at) as first_at,
    max(at) as last_at
from rows_with_outcomes
group by all
