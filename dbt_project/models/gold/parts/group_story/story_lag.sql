-- one row per group at its largest lag of the day, and per partition that lost records, and day
with

samples as (
    select
        *,
        {{ topic_partition() }} as topic_partition
    from {{ ref("lag") }}
    where
        {{ is_selected_day() }}
        and (true_lag > 0 or phantom_lag > 0)
),

peaks as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(sampled_at, topic_partition, true_lag, lag_ms, reporter),
            struct(true_lag, sampled_at, topic_partition, reporter)
        ) as peak
    from samples
    where true_lag > 0
    group by all
),

losses as (
    select
        cluster,
        day,
        group_id,
        topic_partition,
        min_by(struct(sampled_at, reporter), struct(sampled_at, reporter)) as first_sample,
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
        'Largest lag of the day: ', {{ quantity("peak.true_lag", "record") }}, ' on ', peak.topic_partition,
        coalesce(concat(', ', {{ seconds("peak.lag_ms") }}), '')
    ) as sentence,
    concat('gold.lag, reporter ', peak.reporter) as evidence,
    array('lag_metrics') as sources
from peaks
union all
select
    cluster,
    day,
    group_id,
    first_sample.sampled_at as happened_at,
    8L as turn,
    'records_lost' as kind,
    concat(
        {{ quantity("records", "record") }}, ' of ', topic_partition, if(records = 1, ' was', ' were'),
        ' deleted before the group read ', if(records = 1, 'it', 'them')
    ) as sentence,
    concat('gold.lag, phantom_lag, reporter ', first_sample.reporter) as evidence,
    array('lag_metrics') as sources
from losses
