-- one row per start of reading, known on its own day and on the next: assigned partitions, seeks, and resets of a position
with

assigned as (
    select *
    from {{ source("silver", "read_starts") }}
    where {{ is_selected_or_previous_day() }}
),

moved_positions as (
    select
        *,
        {{ topic_of("details['topic_partition']") }} as topic,
        {{ partition_of("details['topic_partition']") }} as partition_id,
        try_cast(details['offset'] as bigint) as position
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and event in ('sought', 'position_out_of_range')
        and side = 'client'
        and group_id is not null
        and happened_at is not null
        and details['topic_partition'] is not null
),

starts as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        started_at,
        incarnation,
        generation,
        cause,
        in_client_log,
        is_measured,
        from_member_id,
        from_client_id,
        to_member_id,
        to_client_id,
        ended_by,
        ended_at,
        session_timeout_ms,
        stopped_by,
        stopped_at,
        group_was_empty,
        cast(null as bigint) as left_position,
        cast(null as bigint) as sought_position
    from assigned
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        happened_at as started_at,
        null as incarnation,
        null as generation,
        if(event = 'sought', 'seek', 'reset') as cause,
        true as in_client_log,
        true as is_measured,
        null as from_member_id,
        client_id as from_client_id,
        null as to_member_id,
        client_id as to_client_id,
        null as ended_by,
        null as ended_at,
        null as session_timeout_ms,
        null as stopped_by,
        happened_at as stopped_at,
        false as group_was_empty,
        if(event = 'sought', null, position) as left_position,
        if(event = 'sought', position, null) as sought_position
    from moved_positions
    where partition_id is not null
),

ranked_starts as (
    select
        *,
        row_number() over (
            partition by cluster, group_id, topic, partition_id, started_at
            order by cause in ('seek', 'reset') asc, in_client_log desc, to_client_id asc
        ) as place
    from starts
),

-- A consumer that seeks at once as partitions are assigned to it starts there once.
distinct_starts as (
    select * except (place)
    from ranked_starts
    where place = 1
),

known_starts as (
    select
        *,
        explode({{ own_and_next_day() }}) as known_on
    from distinct_starts
)

select *
from known_starts
where {{ is_selected_day("known_on") }}
