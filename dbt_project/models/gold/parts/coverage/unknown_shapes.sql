-- one row per cluster, source, origin, day and hour with lines or records that are not understood
with

files as (
    select *
    from {{ source("bronze", "files") }}
    where {{ is_selected_delivery() }}
),

not_understood as (
    select
        source_file,
        day,
        hour(happened_at) as hour,
        {{ shape_of("text", ["client_id", "member_id", "instance_id", "group_id"]) }} as shape
    from {{ source("bronze", "log_lines") }}
    where
        {{ is_selected_delivery() }}
        and {{ is_selected_day() }}
        and kind = 'unknown'
    union all
    select
        source_file,
        day,
        hour(coalesce(recorded_at, committed_at)) as hour,
        case
            when key_type is not null and kind = 'unknown'
                then concat('record type ', key_type, coalesce(concat(' version ', value_version), ''))
            else coalesce({{ shape_of("problem", []) }}, kind)
        end as shape
    from {{ source("bronze", "offset_records") }}
    where
        {{ is_selected_delivery() }}
        and {{ is_selected_day() }}
        and kind in ('unknown', 'damaged')
    union all
    select
        source_file,
        day,
        hour(sampled_at) as hour,
        coalesce({{ shape_of("coalesce(problem, text)", []) }}, kind) as shape
    from {{ source("bronze", "lag_readings") }}
    where
        {{ is_selected_delivery() }}
        and {{ is_selected_day() }}
        and kind in ('unknown', 'rejected_file')
),

shapes as (
    select
        files.cluster,
        files.source,
        files.origin,
        not_understood.day,
        not_understood.hour,
        not_understood.shape,
        count(*) as lines
    from not_understood
    inner join files on not_understood.source_file = files.source_file
    group by all
),

ranked_shapes as (
    select
        *,
        row_number() over (
            partition by cluster, source, origin, day, hour
            order by lines desc, shape asc
        ) as place
    from shapes
)

select
    cluster,
    source,
    origin,
    day,
    hour,
    transform(
        array_sort(collect_list(struct(place, shape, lines))),
        ranked -> named_struct('shape', ranked.shape, 'lines', ranked.lines)
    ) as unknown_shapes
from ranked_shapes
where place <= 10
group by all
