-- one row per start of reading a partition: how long it was unread, what is reprocessed, and what is skipped
with

readings as (
    -- Reading number 0 is what is known before the first start.
    select
        * except (cluster, group_id, topic, partition_id, known_on, start),
        start.*
    from {{ ref("readings") }}
    where
        reading_number > 0
        and start.day = known_on
),

failed_commits as (
    select
        cluster,
        group_id,
        client_id as from_client_id,
        array_agg(happened_at) as failed_at
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and event in ('commit_failed', 'auto_commit_failed')
        and group_id is not null
        and happened_at is not null
    group by all
),

with_settings as (
    select /*+ broadcast(settings), broadcast(failed_commits) */
        readings.*,
        settings.broker_session_timeout_ms,
        coalesce(settings.max_poll_records, 500) as max_poll_records,
        coalesce(settings.is_auto_commit, false) as is_auto_commit,
        coalesce(
            exists(
                failed_commits.failed_at,
                at -> at >= coalesce(readings.committed_before_at, at) and at <= readings.started_at
            ), false
        ) as has_failed_commit
    from readings
    left join {{ ref("reader_settings") }} as settings using (cluster, day, group_id)
    left join failed_commits using (cluster, group_id, from_client_id)
),

-- A member that is no longer heard of lived at least until its last commit.
with_stops as (
    select
        *,
        if(
            stopped_by is null and ended_by in ('session_timeout', 'rebalance_timeout'),
            greatest(
                stopped_at,
                if(committed_before_at <= started_at, committed_before_at, null),
                if(
                    session_timeout_ms is null and ended_by = 'session_timeout',
                    ended_at - make_dt_interval(0, 0, 0, broker_session_timeout_ms / 1000),
                    null
                )
            ),
            stopped_at
        ) as last_alive_at,
        -- It returned its partitions in poll() or close(), and the last batch was processed before.
        coalesce(
            cause in ('assigned', 'kept')
            and stopped_by in ('revoked', 'released')
            and ended_by in ('revoked', 'left', 'replaced')
            and not has_failed_commit
            and (
                is_auto_commit
                or (
                    commits_of_the_partition >= 3
                    and repeats_of_the_partition * 10 < commits_of_the_partition
                    and commits_not_effective_of_the_partition = 0
                    and largest_advance_of_the_partition <= max_poll_records
                )
            ), false
        ) as was_all_committed
    from with_settings
),

-- How many records past its last known position the reader before may have read.
with_in_flight as (
    select
        *,
        case
            when cause = 'first' then null
            when was_all_committed or left_position is not null then 0
            -- Only commits limit how far it may have read without being seen.
            when coalesce(commits_of_the_partition, 0) = 0 then null
            when is_auto_commit or repeats_of_the_partition * 10 >= commits_of_the_partition
                then coalesce(largest_advance_of_the_partition, 0) + max_poll_records
            else greatest(coalesce(largest_advance_of_the_partition, 0), max_poll_records)
        end as in_flight,
        if(cause = 'first', null, coalesce(left_position, reached_before)) as reached_at_least
    from with_stops
),

-- Nobody reads past the end of the log. The first reading of it after the stop is an upper bound.
log_ends as (
    select
        with_in_flight.cluster,
        with_in_flight.group_id,
        with_in_flight.topic,
        with_in_flight.partition_id,
        with_in_flight.started_at,
        min(log_offsets.log_end_offset) as log_end_offset
    from with_in_flight
    inner join {{ source("silver", "log_offsets") }} as log_offsets
        on
            with_in_flight.cluster = log_offsets.cluster
            and with_in_flight.topic = log_offsets.topic
            and with_in_flight.partition_id = log_offsets.partition_id
            and with_in_flight.day = log_offsets.day
            and log_offsets.sampled_at between coalesce(with_in_flight.last_alive_at, with_in_flight.started_at)
            and coalesce(with_in_flight.last_alive_at, with_in_flight.started_at) + interval 1 hour
    where
        {{ is_selected_day("log_offsets.day") }}
        and log_offsets.reporter in ('get_offsets', 'describe', 'jmx_broker', 'collect')
        and with_in_flight.reached_at_least is not null
        and coalesce(with_in_flight.in_flight, 1) > 0
    group by all
),

bounds as (
    select
        with_in_flight.*,
        if(
            with_in_flight.in_flight is null and log_ends.log_end_offset is null,
            null,
            greatest(
                with_in_flight.reached_at_least,
                least(with_in_flight.reached_at_least + with_in_flight.in_flight, log_ends.log_end_offset)
            )
        ) as reached_at_most
    from with_in_flight
    left join log_ends using (cluster, group_id, topic, partition_id, started_at)
)

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
    ended_by,
    from_member_id,
    from_client_id,
    to_member_id,
    to_client_id,
    last_alive_at as stopped_at,
    if(cause in ('seek', 'reset'), 0, greatest(unix_millis(started_at) - unix_millis(last_alive_at), 0)) as unread_ms,
    if(last_alive_at is null, null, if(is_measured, 'measured', 'estimated')) as unread_evidence,
    if(
        ended_by in ('session_timeout', 'rebalance_timeout'),
        greatest(unix_millis(ended_at) - unix_millis(last_alive_at), 0),
        null
    ) as time_to_detect_ms,
    group_was_empty,
    committed_before,
    start_offset,
    greatest(reached_at_least - start_offset, 0) as reprocessed_at_least,
    case
        when cause = 'first' then 0
        -- It began where the last commit was, and all was committed.
        when was_all_committed and start_offset is null then 0
        when reached_at_most is not null and start_offset is not null then greatest(reached_at_most - start_offset, 0)
    end as reprocessed_at_most,
    case
        when (committed_before is not null or left_position is not null) and reached_at_most is not null
            then greatest(start_offset - reached_at_most, 0)
    end as skipped,
    array_compact(array(
        if(in_client_log, 'client_log', null),
        if(not in_client_log or committed_before is not null, 'offsets_topic', null)
    )) as evidence
from bounds
