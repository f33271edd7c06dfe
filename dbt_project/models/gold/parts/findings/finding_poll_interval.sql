-- one row per group whose members left because they did not poll in time, and day
with

leaves as (
    select *
    from {{ ref("member_sessions") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'poll_interval'
),

next_starts as (
    select
        cluster,
        group_id,
        from_member_id as member_id,
        count(*) as partitions,
        sum(unread_ms) as unread_ms,
        sum(reprocessed_at_least) as records_at_least,
        {{ sum_if_known("reprocessed_at_most") }} as records_at_most
    from {{ ref("read_starts") }}
    where
        {{ is_selected_day() }}
        and ended_by = 'poll_interval'
    group by all
),

storms as (
    select
        cluster,
        day,
        group_id,
        sum(rebalances) as rebalances_in_storms
    from {{ ref("storms") }}
    where part_of = 'poll_interval'
    group by all
),

members as (
    select
        cluster,
        leaves.day,
        group_id,
        count(distinct coalesce(leaves.client_id, member_id)) as clients,
        min(coalesce(leaves.client_id, member_id)) as client,
        array_join(slice(array_sort(collect_set(coalesce(leaves.client_id, member_id))), 1, 5), ', ') as first_clients,
        count(*) as leaves,
        min(leaves.ended_at) as first_at,
        nullif(sum(leaves.rebalances), 0) as rebalances,
        sum(next_starts.partitions) as partitions,
        sum(next_starts.unread_ms) as unread_ms,
        sum(next_starts.records_at_least) as records_at_least,
        if(
            count(next_starts.partitions) = count(next_starts.records_at_most), sum(next_starts.records_at_most), null
        ) as records_at_most
    from leaves
    left join next_starts using (cluster, group_id, member_id)
    group by all
),

groups as (
    select
        members.*,
        storms.rebalances_in_storms,
        known_readers.has_known_readers
    from members
    left join storms using (cluster, day, group_id)
    left join {{ ref("known_readers") }} as known_readers using (cluster, day, group_id)
)

select
    cluster,
    day,
    group_id,
    'poll_interval' as kind,
    if(clients = 1, client, 'members') as subject,
    'warning' as severity,
    concat(
        if(clients = 1, concat('Consumer ', client), {{ quantity("clients", "consumer") }}), ' of group ', group_id,
        if(clients = 1, ' left: it did', ' left: they did'), ' not poll within max.poll.interval.ms'
    ) as title,
    concat(
        {{ quantity("leaves", "time") }}, ', first at ', {{ utc("first_at") }},
        if(clients = 1, '', concat(' (', first_clients, if(clients > 5, ', …', ''), ')')),
        if(rebalances_in_storms > 0, concat('; part of a storm of ', {{ quantity("rebalances_in_storms", "rebalance") }}), '')
    ) as evidence,
    concat_ws(
        '; ',
        {{ quantity("rebalances", "rebalance") }},
        case
            when partitions is null and has_known_readers is null then 'who read the partitions next is unknown'
            when partitions is null then 'nobody has started to read the partitions again that day'
            when records_at_most is null then 'how many records were reprocessed is unknown'
            when records_at_most = 0 then 'no record was reprocessed'
            else concat(
                if(records_at_least > 0, concat('at least ', format_number(records_at_least, 0), ' and '), ''), 'at most ',
                {{ quantity("records_at_most", "record") }}, ' reprocessed'
            )
        end,
        if(unread_ms > 0, concat('the partitions were not read for ', {{ partition_time("unread_ms") }}), null)
    ) as cost,
    records_at_most as cost_records,
    unread_ms as cost_partition_ms,
    cast(null as bigint) as cost_members,
    'Finish each batch in time: lower max.poll.records, raise max.poll.interval.ms, or move slow work off the polling thread'
        as recommendation,
    coalesce(
        concat({{ quantity("rebalances", "fewer rebalance") }}, ' on a day like this'), 'No rebalance because of a late poll'
    ) as expected_effect
from groups
