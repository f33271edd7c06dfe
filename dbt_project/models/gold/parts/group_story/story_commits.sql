-- one row per commit that went back, or for the day's largest 100 of a group, position out of range or deleted, and rule broken
with

regressions as (
    select
        cluster,
        day,
        group_id,
        concat(topic, '-', partition_id) as place,
        committed_at,
        record_offset,
        previous_offset,
        committed_offset,
        redelivered,
        cause,
        generation,
        owner_client_id,
        row_number() over (
            partition by cluster, day, group_id order by -redelivered, committed_at, record_offset
        ) as number
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and kind = 'regression'
),

others as (
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

deleted as (
    select
        cluster,
        day,
        group_id,
        date_trunc('second', recorded_at) as happened_at,
        count(*) as tombstones,
        min(struct(topic, partition_id)) as first
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
        happened_at,
        client_id,
        details['topic_partition'] as place,
        details['offset'] as position
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event = 'position_out_of_range'
        and group_id is not null
),

broken as (
    select
        cluster,
        day,
        get_json_object(row_json, '$.group_id') as group_id,
        concat(get_json_object(row_json, '$.topic'), '-', get_json_object(row_json, '$.partition_id')) as place,
        cast(get_json_object(row_json, '$.committed_at') as timestamp) as committed_at,
        get_json_object(row_json, '$.committed_offset') as committed_offset,
        explode(rules) as rule
    from {{ source("quality", "rejected_rows") }}
    where
        {{ is_selected_day() }}
        and table_name = 'silver.offset_commits'
        and replayed_at is null
),

rejected as (
    select
        cluster,
        day,
        group_id,
        rule,
        min(committed_at) as happened_at,
        count(*) as commits,
        min_by(struct(place, committed_offset), struct(committed_at, place)) as first
    from broken
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
        'The position on ', place, ' fell from ', previous_offset, ' to ', committed_offset, ', ',
        case cause
            when 'async_retry' then 'by the late retry of an asynchronous commit'
            when 'replay' then 'since the reader went back'
            when 'late_commit' then 'by a late commit of the owner before'
            when 'reset' then 'set while the group had no members'
            else 'and nothing tells why'
        end,
        ': ', {{ quantity("redelivered", "record") }}, if(redelivered = 1, ' comes again', ' come again')
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
        'By now ', {{ quantity("commits", "more commit") }}, ' fell back, each by no more than the ones told: ',
        {{ quantity("records", "record") }}, if(records = 1, ' comes again', ' come again')
    ) as sentence,
    'gold.commit_gaps, kind regression' as evidence,
    array('offset_dumps') as sources
from others
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    5L as turn,
    'positions_deleted' as kind,
    concat(
        {{ quantity("tombstones", "position") }}, if(tombstones = 1, ' was', ' were'), ' deleted, the first on ',
        first.topic, '-', first.partition_id, ': whoever reads there next starts by auto.offset.reset'
    ) as sentence,
    'silver.offset_commits, committed_offset null' as evidence,
    array('offset_dumps') as sources
from deleted
union all
select
    cluster,
    day,
    group_id,
    happened_at,
    6L as turn,
    'commit_rejected' as kind,
    concat(
        {{ quantity("commits", "commit") }}, ' broke the rule ', rule, ', the first on ', coalesce(first.place, 'no partition'),
        ' with ', coalesce(first.committed_offset, 'no offset'), ': in quarantine, and in no number here'
    ) as sentence,
    'quality.rejected_rows' as evidence,
    array('offset_dumps') as sources
from rejected
union all
select
    cluster,
    day,
    group_id,
    min(happened_at) as happened_at,
    4L as turn,
    'position_out_of_range' as kind,
    concat(
        'The log of ', coalesce(place, 'a partition'), ' does not hold position ', coalesce(position, 'that was wanted'),
        ': reading goes on by auto.offset.reset, or ends'
    ) as sentence,
    concat('silver.group_events, event position_out_of_range', coalesce(concat(', client ', client_id), '')) as evidence,
    array('group_logs') as sources
from out_of_range
group by cluster, day, group_id, client_id, place, position
