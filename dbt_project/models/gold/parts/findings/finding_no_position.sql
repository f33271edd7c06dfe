-- one row per consumer that stopped because it had no position and no auto.offset.reset, and day
with

configs as (
    select *
    from {{ source("silver", "client_configs") }}
    where {{ is_recent_day() }}
),

position_events as (
    select
        *,
        details['topic_partition'] as topic_partition
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_day() }}
        and event in ('no_committed_offset', 'position_out_of_range', 'position_set', 'offset_reset', 'sought')
        and group_id is not null
        and happened_at is not null
),

resets as (
    select
        events.cluster,
        events.day,
        events.group_id,
        events.origin,
        events.client_id,
        events.topic_partition,
        events.happened_at,
        events.event,
        events.details['offset'] as position,
        max_by(configs.settings['auto.offset.reset'], configs.started_at) as auto_offset_reset,
        events.text like '%raising error to the application%' as is_raised
    from position_events as events
    left join configs
        on
            events.cluster = configs.cluster
            and events.group_id = configs.group_id
            and events.client_id = configs.client_id
            and events.origin <=> configs.origin
            and events.happened_at >= configs.started_at
            and {{ is_recently_before("configs.day", "events.day") }}
    where events.event in ('no_committed_offset', 'position_out_of_range')
    group by all
),

-- The application may have set the position itself.
positions_set as (
    select *
    from position_events
    where event in ('position_set', 'offset_reset', 'sought')
),

exceptions as (
    select resets.*
    from resets
    left anti join positions_set
        on
            resets.cluster = positions_set.cluster
            and resets.group_id = positions_set.group_id
            and resets.client_id = positions_set.client_id
            and resets.origin <=> positions_set.origin
            and resets.topic_partition = positions_set.topic_partition
            and positions_set.happened_at between resets.happened_at and resets.happened_at + interval 1 minute
    where
        resets.is_raised
        or (resets.event = 'no_committed_offset' and resets.auto_offset_reset = 'none')
),

clients as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        origin,
        min_by(struct(event, topic_partition, position, happened_at), happened_at) as first_exception,
        array_sort(collect_set(topic_partition)) as partitions,
        count(distinct happened_at) as times
    from exceptions
    group by all
)

select
    cluster,
    day,
    group_id,
    'no_position' as kind,
    concat_ws(' ', client_id, origin) as subject,
    'critical' as severity,
    concat(
        if(client_id = '', 'A consumer', concat('Consumer ', client_id)), ' of group ', group_id, ' died with ',
        if(first_exception.event = 'no_committed_offset', 'NoOffsetForPartitionException: ', 'OffsetOutOfRangeException: '),
        if(
            first_exception.event = 'no_committed_offset',
            concat(array_join(partitions, ', '), if(size(partitions) = 1, ' has', ' have'), ' no committed offset'),
            concat(
                'its position on ', first_exception.topic_partition, coalesce(concat(', ', first_exception.position, ','), ''),
                ' is out of range'
            )
        ),
        ', and auto.offset.reset is none'
    ) as title,
    concat(
        'At ', {{ utc("first_exception.happened_at") }}, coalesce(concat(', in the log of ', origin), ''),
        '; without auto.offset.reset, poll() throws instead of choosing a position'
    ) as evidence,
    'The consumer stops: none of its partitions is read until a position is set' as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(1 as bigint) as cost_members,
    'Set the committed offset with kafka-consumer-groups --reset-offsets, or auto.offset.reset to earliest or latest'
        as recommendation,
    '1 more consumer that reads' as expected_effect
from clients
