-- one row per cluster, source, origin, day and hour; hour is null for files without a time
with

files as (
    select
        * except (first_at, last_at),
        {{ is_halted_delivery() }} as is_halted
    from {{ source("bronze", "files") }}
    where {{ is_selected_delivery() }}
),

by_hour as (
    select * from {{ ref("rows_by_hour") }}
),

unknown_shapes as (
    select * from {{ ref("unknown_shapes") }}
),

-- Files have counts of records and not of rows. A file's counts are distributed over its hours in proportion to its rows.
shares as (
    select
        files.*,
        by_hour.* except (source_file, day),
        coalesce(by_hour.day, files.delivered_on) as day,
        {{ share_of_file("files.understood", "by_hour.rows_understood") }} as understood_share,
        {{ share_of_file("files.not_understood", "by_hour.rows_not_understood") }} as not_understood_share,
        {{ share_of_file("files.ignored", "by_hour.bronze_rows") }} as ignored_share,
        row_number() over (partition by files.source_file order by by_hour.day, by_hour.hour nulls last) = 1
            as is_first_hour
    from files
    left join by_hour on files.source_file = by_hour.source_file
    window whole_file as (partition by files.source_file)
),

-- The remainder counts in the file's first hour.
file_hours as (
    select
        * except (understood, not_understood, ignored),
        understood_share + if(is_first_hour, understood - sum(understood_share) over whole_file, 0) as understood,
        not_understood_share
        + if(is_first_hour, not_understood - sum(not_understood_share) over whole_file, 0) as not_understood,
        ignored_share + if(is_first_hour, ignored - sum(ignored_share) over whole_file, 0) as ignored
    from shares
    window whole_file as (partition by source_file)
),

origins as (
    select
        cluster,
        source,
        origin,
        day,
        hour,
        count(*) as files,
        sum(understood + not_understood + ignored) as records,
        sum(understood) as understood,
        sum(not_understood) as not_understood,
        sum(ignored) as ignored,
        if(bool_or(is_halted), null, coalesce(sum(rejected), 0)) as rejected,
        if(bool_or(is_halted), null, coalesce(sum(rows_taken - accepted - rejected), 0)) as duplicates,
        min(first_at) as first_at,
        max(last_at) as last_at,
        if(source = 'offset_dumps', coalesce(sum(holes), 0), null) as holes,
        bool_or(is_halted) as halted
    from file_hours
    where {{ is_selected_day() }}
    group by all
)

select
    origins.cluster,
    origins.source,
    origins.origin,
    origins.day,
    origins.hour,
    origins.files,
    origins.records,
    origins.understood,
    origins.not_understood,
    origins.ignored,
    origins.rejected,
    origins.duplicates,
    origins.first_at,
    origins.last_at,
    origins.holes,
    origins.halted,
    unknown_shapes.unknown_shapes
from origins
left join unknown_shapes
    on
        origins.cluster = unknown_shapes.cluster
        and origins.source = unknown_shapes.source
        and origins.origin is not distinct from unknown_shapes.origin
        and origins.day = unknown_shapes.day
        and origins.hour is not distinct from unknown_shapes.hour
