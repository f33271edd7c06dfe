-- one row per cluster, source, origin, day and hour; hour is null for files that tell no time
with

files as (
    select
        cluster,
        delivered_on,
        source,
        source_file,
        origin,
        records,
        understood,
        not_understood,
        ignored,
        {{ is_halted_delivery() }} as halted
    from {{ source("bronze", "files") }}
    where {{ is_selected_delivery() }}
),

bronze_rows as (
    select
        source_file,
        day,
        hour(coalesce(recorded_at, committed_at)) as hour,
        coalesce(recorded_at, committed_at) as at,
        kind not in ('unknown', 'damaged') as is_understood,
        kind in ('commit', 'unplaced_commit') or (kind = 'group' and record_offset is not null) as is_judged
    from {{ source("bronze", "offset_records") }}
    where
        {{ is_selected_delivery() }}
        and coalesce(recorded_at, committed_at) is not null
    union all
    -- A tombstone that a console consumer prints has no time: what became of it is told beside what has one.
    select
        source_file,
        day,
        cast(null as int) as hour,
        cast(null as timestamp) as at,
        cast(null as boolean) as is_understood,
        true as is_judged
    from {{ source("bronze", "offset_records") }}
    where
        {{ is_selected_delivery() }}
        and kind in ('commit', 'unplaced_commit')
        and coalesce(recorded_at, committed_at) is null
    union all
    select
        source_file,
        day,
        hour(happened_at) as hour,
        happened_at as at,
        kind != 'unknown' as is_understood,
        kind in ('event', 'config') as is_judged
    from {{ source("bronze", "log_lines") }}
    where
        {{ is_selected_delivery() }}
        and happened_at is not null
    union all
    -- The same of a line that tells no time.
    select
        source_file,
        day,
        cast(null as int) as hour,
        cast(null as timestamp) as at,
        cast(null as boolean) as is_understood,
        true as is_judged
    from {{ source("bronze", "log_lines") }}
    where
        {{ is_selected_delivery() }}
        and kind in ('event', 'config')
        and happened_at is null
    union all
    select
        source_file,
        day,
        hour(sampled_at) as hour,
        sampled_at as at,
        kind not in ('unknown', 'rejected_file') as is_understood,
        kind = 'group_offset' as is_judged
    from {{ source("bronze", "lag_readings") }}
    where
        {{ is_selected_delivery() }}
        and sampled_at is not null
),

-- what became of the rows that silver takes: 1 for each that was kept or rejected
taken_rows as (
    select
        source_file,
        day,
        hour(coalesce(recorded_at, committed_at)) as hour,
        false as is_rejected
    from {{ source("silver", "offset_commits") }}
    where {{ is_selected_day() }}
    union all
    -- A group's record tells more than one row, or none: it is one by its place in the log.
    select
        min(source_file) as source_file,
        day,
        min(hour(recorded_at)) as hour,
        false as is_rejected
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
        false as is_rejected
    from {{ source("silver", "group_events") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(started_at) as hour,
        false as is_rejected
    from {{ source("silver", "client_configs") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(sampled_at) as hour,
        false as is_rejected
    from {{ source("silver", "lag_samples") }}
    where {{ is_selected_day() }}
    union all
    select
        source_file,
        day,
        hour(
            cast(
                coalesce(
                    get_json_object(row_json, '$.recorded_at'),
                    get_json_object(row_json, '$.committed_at'),
                    get_json_object(row_json, '$.sampled_at')
                ) as timestamp
            )
        ) as hour,
        true as is_rejected
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and replayed_at is null
        and table_name in ('silver.offset_commits', 'silver.lag_samples')
),

told as (
    select
        source_file,
        day,
        hour,
        at,
        is_understood,
        is_judged,
        cast(null as boolean) as is_rejected,
        false as is_hole
    from bronze_rows
    union all
    select
        source_file,
        day,
        hour,
        null as at,
        null as is_understood,
        null as is_judged,
        is_rejected,
        false as is_hole
    from taken_rows
    union all
    select
        source_file,
        day,
        hour(recorded_at) as hour,
        null as at,
        null as is_understood,
        null as is_judged,
        null as is_rejected,
        true as is_hole
    from {{ source("silver", "log_holes") }}
    where {{ is_selected_day() }}
),

by_hour as (
    select
        source_file,
        day,
        hour,
        count(is_understood) as bronze_rows,
        count_if(is_understood) as rows_understood,
        count_if(not is_understood) as rows_not_understood,
        count_if(is_judged) as judged,
        count(is_rejected) as taken,
        count_if(is_rejected) as rejected,
        count_if(is_hole) as holes,
        min(at) as first_at,
        max(at) as last_at
    from told
    group by all
),

-- a reader counts records and not rows: what it counted is shared among the hours as the rows are
shared as (
    select
        files.cluster,
        files.source,
        files.source_file,
        files.origin,
        files.halted,
        coalesce(by_hour.day, files.delivered_on) as day,
        by_hour.hour,
        files.understood,
        files.not_understood,
        files.ignored,
        {{ share_of_file("files.understood", "by_hour.rows_understood") }} as understood_here,
        {{ share_of_file("files.not_understood", "by_hour.rows_not_understood") }} as not_understood_here,
        {{ share_of_file("files.ignored", "by_hour.bronze_rows") }} as ignored_here,
        by_hour.judged,
        by_hour.taken,
        by_hour.rejected,
        by_hour.holes,
        by_hour.first_at,
        by_hour.last_at,
        row_number() over (partition by files.source_file order by by_hour.day, by_hour.hour nulls last) = 1
            as is_first
    from files
    left join by_hour on files.source_file = by_hour.source_file
    window whole_file as (partition by files.source_file)
),

-- what can't be shared out evenly counts in the file's first hour
whole as (
    select
        cluster,
        source,
        source_file,
        origin,
        halted,
        day,
        hour,
        understood_here + if(is_first, understood - sum(understood_here) over whole_file, 0) as understood,
        not_understood_here + if(is_first, not_understood - sum(not_understood_here) over whole_file, 0) as not_understood,
        ignored_here + if(is_first, ignored - sum(ignored_here) over whole_file, 0) as ignored,
        judged,
        taken,
        rejected,
        holes,
        first_at,
        last_at
    from shared
    window whole_file as (partition by source_file)
),

by_origin as (
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
        if(bool_or(halted), null, coalesce(sum(rejected), 0)) as rejected,
        if(bool_or(halted), null, coalesce(sum(judged - taken), 0)) as duplicates,
        min(first_at) as first_at,
        max(last_at) as last_at,
        if(source = 'offset_dumps', coalesce(sum(holes), 0), null) as holes,
        bool_or(halted) as halted
    from whole
    where {{ is_selected_day() }}
    group by all
)

select
    by_origin.cluster,
    by_origin.source,
    by_origin.origin,
    by_origin.day,
    by_origin.hour,
    by_origin.files,
    by_origin.records,
    by_origin.understood,
    by_origin.not_understood,
    by_origin.ignored,
    by_origin.rejected,
    by_origin.duplicates,
    by_origin.first_at,
    by_origin.last_at,
    by_origin.holes,
    by_origin.halted,
    shapes.unknown_shapes
from by_origin
left join {{ ref("unknown_shapes") }} as shapes
    on
        by_origin.cluster = shapes.cluster
        and by_origin.source = shapes.source
        and by_origin.origin is not distinct from shapes.origin
        and by_origin.day = shapes.day
        and by_origin.hour is not distinct from shapes.hour
