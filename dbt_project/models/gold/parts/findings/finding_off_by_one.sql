-- one row per partition whose committed offset stays exactly one below a log end that does not move, and day
with

samples as (
    select *
    from {{ source("silver", "lag_samples") }}
    where
        {{ is_selected_day() }}
        and lag = 1
),

unmoved_positions as (
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

-- A partition may stop at several offsets in a day.
partitions as (
    select
        cluster,
        day,
        group_id,
        {{ topic_partition() }} as subject,
        max_by(struct(committed_offset, log_end_offset, samples, since, until), samples) as longest
    from unmoved_positions
    group by all
)

select
    cluster,
    day,
    group_id,
    'off_by_one' as kind,
    subject,
    'warning' as severity,
    concat('Group ', group_id, ' stays one record behind the end of ', subject, ' although it has read everything') as title,
    concat(
        'Committed offset ', longest.committed_offset, ' and log end offset ', longest.log_end_offset, ' in ',
        {{ quantity("longest.samples", "sample") }}, ' from ', {{ utc("longest.since") }}, ' to ', {{ utc("longest.until") }}
    ) as evidence,
    'The last record is reprocessed after every restart and every reassignment of the partition' as cost,
    cast(1 as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Commit the offset of the last processed record + 1: a committed offset names the next record to read' as recommendation,
    'Lag reaches 0, and no record is reprocessed after a clean shutdown' as expected_effect
from partitions
