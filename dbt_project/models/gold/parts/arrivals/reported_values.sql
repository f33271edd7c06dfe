-- one row per cluster, origin and day with lag metrics: which values they contained, by reporter
with

files as (
    select
        source_file,
        origin
    from {{ source("bronze", "files") }}
    where
        {{ is_selected_delivery() }}
        and source = 'lag_metrics'
),

values_of_files as (
    select
        cluster,
        day,
        source_file,
        reporter,
        kind,
        concat(
            array_compact(array(
                if(bool_or(committed_offset is not null), 'committed_offset', null),
                if(bool_or(log_start_offset is not null), 'log_start_offset', null),
                if(bool_or(log_end_offset is not null), 'log_end_offset', null),
                if(bool_or(reported_lag is not null), 'reported_lag', null),
                if(bool_or(reported_lag_ms is not null), 'reported_lag_ms', null)
            )),
            flatten(collect_set(map_keys(details)))
        ) as names
    from {{ source("bronze", "lag_readings") }}
    where
        {{ is_selected_delivery() }}
        and {{ is_selected_day() }}
        and kind not in ('unknown', 'rejected_file')
    group by cluster, day, source_file, reporter, kind
),

named_values as (
    select
        *,
        transform(names, name -> concat_ws(' ', reporter, kind, name)) as value_names
    from values_of_files
)

select
    named_values.cluster,
    files.origin,
    named_values.day,
    array_sort(array_distinct(flatten(collect_set(named_values.value_names)))) as value_names
from named_values
inner join files on named_values.source_file = files.source_file
group by all
