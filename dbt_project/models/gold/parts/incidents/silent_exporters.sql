-- one row per origin whose files contain nothing about groups, or reporter of lag that stopped while others went on, and day
with

-- Counts of a file say that it was read; rows say that it contained something.
silent_files as (
    select
        cluster,
        delivered_on as day,
        source,
        origin as subject,
        count(*) as files,
        sum(records) as records,
        coalesce(min(first_at), timestamp(delivered_on)) as started_at,
        max(last_at) as ended_at
    from {{ source("bronze", "files") }}
    where
        {{ is_selected_day("delivered_on") }}
        and origin is not null
        and problem is null
    group by cluster, delivered_on, source, origin
    having
        files >= 3
        and records > 0
        and sum(understood) = 0
        and sum(not_understood) = 0
),

sample_times as (
    select distinct
        cluster,
        day,
        reporter,
        sampled_at
    from {{ source("silver", "lag_samples") }}
    where {{ is_selected_day() }}
),

intervals as (
    select
        *,
        unix_millis(sampled_at) - lag(unix_millis(sampled_at)) over (partition by cluster, day, reporter order by sampled_at)
            as interval_ms
    from sample_times
),

reporters as (
    select
        cluster,
        day,
        reporter,
        max(sampled_at) as last_at,
        count(*) as times,
        median(interval_ms) as interval_ms
    from intervals
    group by all
),

with_others as (
    select
        *,
        max(last_at) over (partition by cluster, day) as others_until
    from reporters
)

select
    cluster,
    day,
    source,
    subject,
    started_at,
    ended_at,
    concat(
        {{ quantity("files", "file") }}, ' with ', {{ quantity("records", "record") }}, ', none of them about a consumer group'
    ) as observation
from silent_files
union all
select
    cluster,
    day,
    'lag_metrics' as source,
    reporter as subject,
    last_at as started_at,
    others_until as ended_at,
    concat(
        'its last sample is of ', {{ utc("last_at") }}, ', while others went on until ', {{ utc("others_until") }}
    ) as observation
from with_others
where
    times >= 3
    and unix_millis(others_until) - unix_millis(last_at) > greatest(600000, 5 * interval_ms)
