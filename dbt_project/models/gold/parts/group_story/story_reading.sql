-- one row per second in which a group began to read partitions again that had cost something: unread, reprocessed or skipped
with

costly_starts as (
    select
        *,
        {{ topic_partition() }} as topic_partition
    from {{ ref("read_starts") }}
    where
        {{ is_selected_day() }}
        and (
            reprocessed_at_least > 0
            or skipped > 0
            or ended_by in ('session_timeout', 'rebalance_timeout', 'poll_interval')
        )
),

moments as (
    select
        cluster,
        day,
        group_id,
        cause in ('seek', 'reset') as is_moved,
        if(cause in ('seek', 'reset'), cause, ended_by) as why,
        coalesce(from_client_id, from_member_id, 'a member') as reader_before,
        min(started_at) as happened_at,
        count(*) as partitions,
        min(topic_partition) as topic_partition,
        max(unread_ms) as longest_ms,
        sum(reprocessed_at_least) as records_at_least,
        {{ sum_if_known("reprocessed_at_most") }} as records_at_most,
        sum(skipped) as skipped,
        array_distinct(flatten(collect_list(evidence))) as origins
    from costly_starts
    group by cluster, day, group_id, is_moved, why, reader_before, date_trunc('second', started_at)
)

select
    cluster,
    day,
    group_id,
    happened_at,
    7L as turn,
    'read_start' as kind,
    concat(
        if(partitions = 1, topic_partition, concat({{ quantity("partitions", "partition") }}, ' from ', topic_partition, ' on')),
        if(partitions = 1, ' is', ' are'), ' read again',
        case
            when why = 'seek' then concat(' from where ', reader_before, ' sought')
            when why = 'reset' then ' from where auto.offset.reset moved the position'
            when longest_ms is null then concat(' after ', reader_before)
            when why in ('session_timeout', 'rebalance_timeout')
                then concat(', ', {{ seconds("longest_ms") }}, ' after the last sign of life of ', reader_before)
            else concat(', ', {{ seconds("longest_ms") }}, ' after ', reader_before, ' stopped')
        end,
        case
            when skipped > 0 then concat(': ', {{ quantity("skipped", "record") }}, ' skipped')
            when records_at_most is null then ''
            when records_at_most = 0 then ': no record is reprocessed'
            when records_at_least = records_at_most then concat(': ', {{ quantity("records_at_most", "record") }}, ' reprocessed')
            else concat(
                ': ', if(records_at_least > 0, concat('at least ', format_number(records_at_least, 0), ' and '), ''), 'at most ',
                {{ quantity("records_at_most", "record") }}, ' reprocessed'
            )
        end
    ) as sentence,
    concat('gold.read_starts, ', if(is_moved, 'cause ', 'ended_by '), why) as evidence,
    array_distinct(transform(origins, origin -> if(origin = 'offsets_topic', 'offset_dumps', 'group_logs'))) as sources
from moments
