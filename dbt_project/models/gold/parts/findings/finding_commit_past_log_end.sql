-- one row per partition with a quarantined commit past the end of its log, and day
with

quarantined as (
    select
        cluster,
        day,
        get_json_object(row_json, '$.group_id') as group_id,
        get_json_object(row_json, '$.topic') as topic,
        cast(get_json_object(row_json, '$.partition_id') as int) as partition_id,
        cast(get_json_object(row_json, '$.committed_offset') as bigint) as committed_offset,
        cast(get_json_object(row_json, '$.committed_at') as timestamp) as committed_at,
        cast(get_json_object(row_json, '$.record_offset') as bigint) as record_offset,
        cast(get_json_object(row_json, '$.offsets_partition') as int) as offsets_partition,
        source_file
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and array_contains(rules, 'commit_is_not_past_the_log_end')
        and replayed_at is null
),

by_partition as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        count(*) as commits,
        max_by(struct(committed_offset, committed_at, record_offset, offsets_partition, source_file), committed_at) as newest
    from quarantined
    group by all
),

positions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        last_committed_offset
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
)

select
    by_partition.cluster,
    by_partition.day,
    by_partition.group_id,
    'commit_past_log_end' as kind,
    concat(by_partition.topic, '-', by_partition.partition_id) as subject,
    'critical' as severity,
    concat(
        by_partition.group_id, ' committed ', newest.committed_offset, ' on ', by_partition.topic, '-',
        by_partition.partition_id, ', past the end of the log'
    ) as title,
    concat(
        'Quarantined: ',
        coalesce(concat('record ', newest.record_offset, ' of __consumer_offsets-', newest.offsets_partition), 'a commit'),
        ' at ', {{ utc("newest.committed_at") }}, ' in ', newest.source_file, '; last accepted position: ',
        coalesce(cast(positions.last_committed_offset as string), 'none')
    ) as evidence,
    concat(
        'The broker keeps such a position without asking. No record is there, so the next owner resets by auto.offset.reset: ',
        'it skips records or repeats them'
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Set the position to the next record to read, and find what commits offsets of another topic or cluster' as recommendation,
    'The next owner starts where the last one ended' as expected_effect
from by_partition
left join positions
    on
        by_partition.cluster = positions.cluster
        and by_partition.day = positions.day
        and by_partition.group_id = positions.group_id
        and by_partition.topic = positions.topic
        and by_partition.partition_id = positions.partition_id
