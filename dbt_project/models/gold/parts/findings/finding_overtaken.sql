-- one row per group and topic on which retention is about to delete records that the group has not read, and day
with

partitions as (
    select
        *,
        {{ topic_partition() }} as topic_partition
    from {{ ref("lag_health") }}
    where
        {{ is_selected_day() }}
        and overtaken_at < timestamp(day) + interval 2 days
),

topics as (
    select
        cluster,
        day,
        group_id,
        topic,
        count(*) as partitions,
        min_by(struct(topic_partition, overtaken_at, loss_margin), overtaken_at) as first_overtaken
    from partitions
    group by all
)

select
    cluster,
    day,
    group_id,
    'overtaken' as kind,
    topic as subject,
    'critical' as severity,
    concat('Retention is about to delete records of ', topic, ' that group ', group_id, ' has not read') as title,
    concat(
        {{ quantity("partitions", "partition") }}, '; on ', first_overtaken.topic_partition,
        ' the log start reaches the committed offset at ', {{ utc("first_overtaken.overtaken_at") }},
        ', if both move on as today',
        coalesce(
            concat('; ', format_number(100 * first_overtaken.loss_margin, 1), ' % of the log lay before the committed offset'),
            ''
        )
    ) as evidence,
    'From then on, each record that is deleted is lost for the group' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Retain the topic longer (retention.ms, retention.bytes) until the group has caught up, or read faster' as recommendation,
    'No record is deleted before the group has read it' as expected_effect
from topics
