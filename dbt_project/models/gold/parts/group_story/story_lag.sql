-- one row per group that was behind, at its worst, and per partition that lost records, and day
with

samples as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as place,
        sampled_at,
        reporter,
        true_lag,
        lag_ms,
        phantom_lag
    from {{ ref("lag") }}
    where
        {{ is_selected_day() }}
        and (true_lag > 0 or phantom_lag > 0)
),

worst as (
    select
        cluster,
        day,
        group_id,
        max_by(struct(sampled_at, place, true_lag, lag_ms, reporter), struct(true_lag, sampled_at)) as peak
    from samples
    where true_lag > 0
    group by all
),

lost as (
    select
        cluster,
        day,
        group_id,
        place,
        min_by(struct(sampled_at, reporter), sampled_at) as first,
        max(phantom_lag) as records
    from samples
    where phantom_lag > 0
    group by all
)

select
    cluster,
    day,
    group_id,
    peak.sampled_at as happened_at,
    7L as turn,
    'lag_peak' as kind,
    concat(
        'Farthest behind that day: ', {{ quantity("peak.true_lag", "record") }}, ' on ', peak.place,
        coalesce(concat(', ', format_number(peak.lag_ms / 1000, 1), ' s'), '')
    ) as sentence,
    concat('gold.lag, reporter ', peak.reporter) as evidence,
    array('lag_metrics') as sources
from worst
union all
select
    cluster,
    day,
    group_id,
    first.sampled_at as happened_at,
    8L as turn,
    'records_lost' as kind,
    concat(
        {{ quantity("records", "record") }}, ' of ', place, if(records = 1, ' was', ' were'), ' deleted before the group read',
        if(records = 1, ' it', ' them')
    ) as sentence,
    concat('gold.lag, phantom_lag, reporter ', first.reporter) as evidence,
    array('lag_metrics') as sources
from lost
