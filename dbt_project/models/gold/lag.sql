-- one row per sample of a position: reporter, time, group and partition
with

samples as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.topic,
        told.partition_id,
        told.sampled_at,
        told.reporter,
        told.committed_offset,
        coalesce(told.log_start_offset, told.known_log_start_offset) as log_start_offset,
        told.log_end_offset,
        told.lag,
        told.reported_lag,
        told.reported_lag_ms,
        told.log_ended_at,
        told.next_sampled_at,
        told.owner_member_id is not null as owned,
        case
            when
                told.lag > 0
                and told.unchanged_since < told.generation_changed_at
                and coalesce(told.other_log_end_offset != told.log_end_offset, true)
                then 'repeats'
            when told.left_out_since < told.generation_changed_at then 'left_out'
        end as frozen,
        committed.group_id is not null as has_commits
    from {{ source("silver", "lag_samples") }} as told
    left join {{ ref("lag_committed") }} as committed
        on
            told.cluster = committed.cluster
            and told.day = committed.day
            and told.group_id = committed.group_id
            and told.topic = committed.topic
            and told.partition_id = committed.partition_id
    where {{ is_selected_day("told.day") }}
),

with_commits as (
    select
        samples.cluster,
        samples.day,
        samples.group_id,
        samples.topic,
        samples.partition_id,
        samples.sampled_at,
        samples.reporter,
        samples.committed_offset,
        samples.log_start_offset,
        samples.log_end_offset,
        samples.lag,
        samples.reported_lag,
        samples.reported_lag_ms,
        samples.log_ended_at,
        samples.next_sampled_at,
        samples.owned,
        samples.frozen,
        samples.sampled_at as at,
        cast(null as bigint) as record_offset,
        log_ends.lowest_recent_log_end_offset,
        null as recent
    from samples
    left join {{ ref("lag_log_ends") }} as log_ends
        on
            samples.cluster = log_ends.cluster
            and samples.day = log_ends.day
            and samples.topic = log_ends.topic
            and samples.partition_id = log_ends.partition_id
            and samples.reporter = log_ends.reporter
            and samples.sampled_at = log_ends.sampled_at
    where samples.has_commits
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        null as sampled_at,
        null as reporter,
        null as committed_offset,
        null as log_start_offset,
        null as log_end_offset,
        null as lag,
        null as reported_lag,
        null as reported_lag_ms,
        null as log_ended_at,
        null as next_sampled_at,
        null as owned,
        null as frozen,
        at,
        record_offset,
        null as lowest_recent_log_end_offset,
        struct(
            commits, first_committed_at, last_committed_at, last_committed_offset,
            lowest_lag, rewound, is_stalled, lag_never_falls
        ) as recent
    from {{ ref("lag_commit_windows") }}
),

at_their_time as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        reporter,
        committed_offset,
        log_start_offset,
        log_end_offset,
        lag,
        reported_lag,
        reported_lag_ms,
        log_ended_at,
        next_sampled_at,
        owned,
        frozen,
        lowest_recent_log_end_offset,
        last(recent, true) over (
            partition by cluster, day, topic, partition_id, group_id
            order by at, reporter, record_offset
            rows between unbounded preceding and current row
        ) as recent
    from with_commits
),

-- where no commit is known there is nothing to bring into an order of time
by_commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        reporter,
        committed_offset,
        log_start_offset,
        log_end_offset,
        lag,
        reported_lag,
        reported_lag_ms,
        log_ended_at,
        next_sampled_at,
        owned,
        frozen,
        lowest_recent_log_end_offset,
        recent
    from at_their_time
    where sampled_at is not null
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        reporter,
        committed_offset,
        log_start_offset,
        log_end_offset,
        lag,
        reported_lag,
        reported_lag_ms,
        log_ended_at,
        next_sampled_at,
        owned,
        frozen,
        null as lowest_recent_log_end_offset,
        null as recent
    from samples
    where not has_commits
),

-- before its first generation on a day nobody knows what a new group subscribes to
subscriptions_and_before as (
    select
        cluster,
        day,
        group_id,
        concat(
            array(struct(cast(day as timestamp) as since, -3L as record_offset, cast(null as array<string>) as topics)),
            subscriptions
        ) as subscriptions
    from {{ ref("lag_subscriptions") }}
),

subscriptions as (
    select
        cluster,
        day,
        group_id,
        told.since,
        get(subscriptions, place + 1).since as until,
        told.topics
    from subscriptions_and_before
        lateral view posexplode(subscriptions) as place, told
),

measured as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.topic,
        told.partition_id,
        told.sampled_at,
        told.reporter,
        told.committed_offset,
        told.log_start_offset,
        told.log_end_offset,
        told.lag,
        told.reported_lag,
        told.reported_lag_ms,
        told.log_ended_at,
        told.next_sampled_at,
        told.owned,
        told.frozen,
        greatest(told.log_end_offset - greatest(told.committed_offset, told.log_start_offset), 0) as held_lag,
        coalesce(
            if(
                groups.group_id is null,
                if(told.recent.commits > 0, true, null),
                array_contains(groups.topics, told.topic)
            ),
            if(told.owned, true, null)
        ) as subscribed,
        case
            when told.lag is null then null
            when told.lag <= 0 then 'caught_up'
            when told.log_ended_at is null then 'older_than_seen'
            else 'interpolated'
        end as lag_ms_from,
        {{ burrow_status(
            "told.sampled_at", "told.recent",
            "coalesce(told.lag, told.log_end_offset - told.recent.last_committed_offset)",
            "told.lowest_recent_log_end_offset"
        ) }} as status
    from by_commits as told
    left join subscriptions as groups
        on
            told.cluster = groups.cluster
            and told.day = groups.day
            and told.group_id = groups.group_id
            and told.sampled_at >= groups.since
            and (groups.until is null or told.sampled_at < groups.until)
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    sampled_at,
    reporter,
    committed_offset,
    log_start_offset,
    log_end_offset,
    lag,
    subscribed,
    case when lag is not null then if(subscribed, held_lag, if(not subscribed, 0, null)) end as true_lag,
    case when lag is not null then if(subscribed, 0, if(not subscribed, held_lag, null)) end as ghost_lag,
    if(log_start_offset - committed_offset < 0, 0, log_start_offset - committed_offset) as phantom_lag,
    case lag_ms_from
        when 'caught_up' then 0
        when 'interpolated' then greatest(unix_millis(sampled_at) - unix_millis(log_ended_at), 0)
    end as lag_ms,
    lag_ms_from,
    reported_lag,
    reported_lag_ms,
    status,
    case status
        when 'ok' then 1
        when 'warn' then 2
        when 'stop' then 4
        when 'stall' then 5
        when 'rewind' then 6
    end as status_code,
    frozen,
    unix_millis(next_sampled_at) - unix_millis(sampled_at) as stands_ms
from measured
