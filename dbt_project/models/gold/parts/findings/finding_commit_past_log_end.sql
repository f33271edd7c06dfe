-- one row per partition with a commit past the end of its log in quarantine, and day
with

rejected_commits as (
    select
        *,
        {{ rejected_value("group_id") }} as group_id,
        {{ rejected_value("topic") }} as topic,
        cast({{ rejected_value("partition_id") }} as int) as partition_id,
        cast({{ rejected_value("committed_offset") }} as bigint) as committed_offset,
        cast({{ rejected_value("committed_at") }} as timestamp) as committed_at,
        cast({{ rejected_value("record_offset") }} as bigint) as record_offset,
        cast({{ rejected_value("offsets_partition") }} as int) as offsets_partition
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and array_contains(rules, 'commit_is_not_past_the_log_end')
        and replayed_at is null
),

partitions as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        max_by(struct(committed_offset, committed_at, record_offset, offsets_partition, source_file), committed_at) as newest
    from rejected_commits
    group by all
),

positions as (
    select *
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
)

select
    cluster,
    day,
    group_id,
    'commit_past_log_end' as kind,
    {{ topic_partition() }} as subject,
    'critical' as severity,
    concat(
        'Group ', group_id, ' committed offset ', partitions.newest.committed_offset, ' on ', {{ topic_partition() }},
        ', past the end of the log'
    ) as title,
    concat(
        'In quarantine: ',
        coalesce(
            concat(
                'record ', partitions.newest.record_offset, ' of __consumer_offsets-', partitions.newest.offsets_partition
            ),
            'a commit'
        ),
        ' at ', {{ utc("partitions.newest.committed_at") }}, ' in ', partitions.newest.source_file,
        '; last accepted committed offset: ', coalesce(string(positions.last_committed_offset), 'none')
    ) as evidence,
    concat(
        'The broker accepts any offset. The next owner finds no record there, and auto.offset.reset decides: ',
        'records are skipped or reprocessed'
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Reset the committed offset to the next record to read, and find out what commits offsets of another topic or cluster'
        as recommendation,
    'The next owner continues where the last one stopped' as expected_effect
from partitions
left join positions using (cluster, day, group_id, topic, partition_id)
