-- one row per partition whose position stays exactly one behind a drained log end, and day
with

samples as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        committed_offset,
        log_end_offset
    from {{ source("silver", "lag_samples") }}
    where
        {{ is_selected_day() }}
        and lag = 1
),

standing as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        committed_offset,
        log_end_offset,
        count(distinct sampled_at) as samples,
        min(sampled_at) as since,
        max(sampled_at) as until
    from samples
    group by all
    having until >= since + interval 1 minute
),

-- a partition may stand still more than once a day
by_partition as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as subject,
        max_by(struct(committed_offset, log_end_offset, samples, since, until), samples) as longest
    from standing
    group by all
)

select
    cluster,
    day,
    group_id,
    'off_by_one' as kind,
    subject,
    'warning' as severity,
    concat(group_id, ' stays one record behind the end of ', subject, ', although it has read all') as title,
    concat(
        'Position ', longest.committed_offset, ', log end ', longest.log_end_offset, ' in ',
        {{ quantity("longest.samples", "sample") }}, ' from ', {{ utc("longest.since") }}, ' to ', {{ utc("longest.until") }}
    ) as evidence,
    'The last record comes again at every restart and every move of the partition' as cost,
    cast(1 as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Commit the offset of the last processed record + 1: a position names the next record to read' as recommendation,
    'Lag reaches 0, and no record comes again after a clean stop' as expected_effect
from by_partition
