-- one row per regression (for the day's largest 100 of a group), deletion of positions, position out of range and broken rule
with

regressions as (
    select
        *,
        {{ topic_partition() }} as topic_partition,
        row_number() over (
            partition by cluster, day, group_id order by -distance_back, committed_at, record_offset
        ) as number
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and kind = 'regression'
),

smaller_regressions as (
    select
        cluster,
        day,
        group_id,
        max(committed_at) as happened_at,
        count(*) as commits,
        sum(redelivered) as records
    from regressions
    where number > 100
    group by all
),

deletions as (
    select
        cluster,
        day,
        group_id,
        date_trunc('second', recorded_at) as happened_at,
        count(*) as tombstones,
        min(struct(topic, partition_id)) as first_deleted
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and committed_offset is null
    group by all
),

out_of_range as (
    select
        cluster,
        day,
        group_id,
        client_id,
        details['topic_partition'] as topic_partition,
        details['offset'] as position,
        min(happened_at) as happened_at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event = 'position_out_of_range'
        and group_id is not null
    group by all
),

broken_rules as (
    select
        cluster,
        day,
        {{ rejected_value("group_id") }} as group_id,
        concat({{ rejected_value("topic") }}, '-', {{ rejected_value("partition_id") }}) as topic_partition,
        cast({{ rejected_value("committed_at") }} as timestamp) as committed_at,
        {{ rejected_value("committed_offset") }} as committed_offset,
        explode(rules) as rule
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and table_name = 'silver.offset_commits'
        and replayed_at is null
),

rejections as (
    select
        cluster,
        day,
        group_id,
        rule,
        min(committed_at) as happened_at,
        count(*) as commits,
        min_by(struct(topic_partition, committed_offset), struct(committed_at, topic_partition)) as first_rejected
    from broken_rules
    where group_id is not null
    group by all
)

select
    cluster,
    day,
    group_id,
    committed_at as happened_at,
    10L + coalesce(record_offset, 0L) as turn,
    'regression' as kind,
    concat(
        'The committed offset on ', topic_partition, ' moved back from ', previous_offset, ' to ', committed_offset,
        case cause
            when 'async_retry' then ' by a late retry of an asynchronous commit'
            when 'replay' then ' because the consumer went back'
            when 'late_commit' then ' by a late commit of the previous owner'
            when 'reset' then ' because it was set while the group had no members'
            else ' for an unknown reason'
        end,
        case
            when redelivered is null
                then concat(': ', {{ quantity("distance_back", "record") }}, ' reprocessed if a consumer starts there')
            when redelivered = 0 then ', and a higher commit followed: nothing was reprocessed'
            else concat(': ', {{ quantity("redelivered", "record") }}, ' reprocessed')
        end
    ) as sentence,
    concat_ws(
        ', ', 'gold.commit_gaps', concat('record ', record_offset, ' of its log'), concat('generation ', generation),
        concat('owner ', owner_client_id)
    ) as evidence,
    array('offset_dumps') as sources
from regressions
where number <= 100
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    9L as turn,
    'regression' as kind,
    concat(
        'By now ', {{ quantity("commits", "more commit") }}, ' moved back, none further than those above',
        coalesce(concat(': ', {{ quantity("records", "record") }}, ' reprocessed'), '')
    ) as sentence,
    'gold.commit_gaps, kind regression' as evidence,
    array('offset_dumps') as sources
from smaller_regressions
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    5L as turn,
    'positions_deleted' as kind,
    concat(
        {{ quantity("tombstones", "committed offset") }}, if(tombstones = 1, ' was', ' were'), ' deleted, the first on ',
        {{ topic_partition("first_deleted") }}, ': the next consumer there starts where auto.offset.reset says'
    ) as sentence,
    'silver.offset_commits, committed_offset null' as evidence,
    array('offset_dumps') as sources
from deletions
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    6L as turn,
    'commit_rejected' as kind,
    concat(
        {{ quantity("commits", "commit") }}, ' broke the rule ', rule, ', the first on ',
        coalesce(first_rejected.topic_partition, 'no partition'), ' with ',
        coalesce(concat('offset ', first_rejected.committed_offset), 'no offset'),
        if(commits = 1, ': it is', ': they are'), ' in quarantine and missing from all numbers'
    ) as sentence,
    'quality.rejected_rows' as evidence,
    array('offset_dumps') as sources
from rejections
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    4L as turn,
    'position_out_of_range' as kind,
    concat(
        coalesce(concat('Position ', position), 'The position'), ' on ', coalesce(topic_partition, 'a partition'),
        ' is out of range: auto.offset.reset moves it, or the consumer stops'
    ) as sentence,
    concat('silver.group_events, event position_out_of_range', coalesce(concat(', client ', client_id), '')) as evidence,
    array('group_logs') as sources
from out_of_range
