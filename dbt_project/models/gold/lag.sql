-- one row per sample of a position: reporter, time, group and partition
with

samples as (
    select
        told.cluster,
        told.day,
        told.topic,
        told.partition_id,
        told.reporter,
        coalesce(log_ends.falls, 0) as falls,
        struct(
            told.group_id,
            told.sampled_at,
            told.committed_offset,
            coalesce(told.log_start_offset, log_ends.log_start_offset) as log_start_offset,
            told.log_end_offset,
            told.lag,
            told.reported_lag,
            told.reported_lag_ms,
            told.owner_member_id is not null as owned,
            log_ends.lowest_recent_log_end_offset
        ) as sample
    from {{ source("silver", "lag_samples") }} as told
    left join {{ ref("lag_log_ends") }} as log_ends
        on
            told.cluster = log_ends.cluster
            and told.day = log_ends.day
            and told.topic = log_ends.topic
            and told.partition_id = log_ends.partition_id
            and told.reporter = log_ends.reporter
            and told.sampled_at = log_ends.sampled_at
    where {{ of_the_days("told.day") }}
),

-- when a log was seen to end where, and when it was first seen to end further on
log_growth as (
    select
        cluster,
        day,
        topic,
        partition_id,
        reporter,
        falls,
        log_end_offset,
        max(sampled_at) as last_at,
        lead(log_end_offset) over of_the_log as next_log_end_offset,
        lead(min(sampled_at)) over of_the_log as next_at
    from {{ ref("lag_log_ends") }}
    where log_end_offset is not null
    group by cluster, day, topic, partition_id, reporter, falls, log_end_offset
    window of_the_log as (partition by cluster, day, topic, partition_id, reporter, falls order by log_end_offset)
),

by_offset as (
    select
        cluster,
        day,
        topic,
        partition_id,
        reporter,
        falls,
        sample.committed_offset as at_offset,
        sample,
        null as growth
    from samples
    union all
    select
        cluster,
        day,
        topic,
        partition_id,
        reporter,
        falls,
        log_end_offset as at_offset,
        null as sample,
        struct(log_end_offset, last_at, next_log_end_offset, next_at) as growth
    from log_growth
),

in_time as (
    select
        cluster,
        day,
        topic,
        partition_id,
        reporter,
        sample,
        last(growth, true) over (
            partition by cluster, day, topic, partition_id, reporter, falls
            order by at_offset, growth is null
            rows between unbounded preceding and current row
        ) as growth
    from by_offset
),

with_commits as (
    select
        cluster,
        day,
        topic,
        partition_id,
        sample.group_id,
        sample.sampled_at as at,
        cast(null as bigint) as record_offset,
        reporter,
        sample,
        growth,
        null as recent
    from in_time
    where sample is not null
    union all
    select
        cluster,
        day,
        topic,
        partition_id,
        group_id,
        at,
        record_offset,
        null as reporter,
        null as sample,
        null as growth,
        struct(
            commits, first_committed_at, last_committed_at, last_committed_offset,
            lowest_lag, rewound, stands_still, lag_never_falls
        ) as recent
    from {{ ref("lag_commit_windows") }}
),

at_their_time as (
    select
        cluster,
        day,
        topic,
        partition_id,
        group_id,
        at,
        reporter,
        sample,
        growth,
        last(recent, true) over (
            partition by cluster, day, topic, partition_id, group_id
            order by at, reporter, record_offset
            rows between unbounded preceding and current row
        ) as recent
    from with_commits
),

with_subscriptions as (
    select
        told.cluster,
        told.day,
        told.topic,
        told.partition_id,
        told.group_id,
        told.at,
        told.reporter,
        told.sample,
        told.growth,
        told.recent,
        coalesce(told.sample.lag, told.sample.log_end_offset - told.recent.last_committed_offset) as behind,
        lead(told.at) over (
            partition by told.cluster, told.day, told.topic, told.partition_id, told.group_id
            order by told.at, told.reporter
        ) as next_at,
        coalesce(
            if(
                groups.group_id is null,
                if(told.recent.commits > 0, true, null),
                array_contains(
                    try_element_at(filter(groups.subscriptions, s -> s.since <= told.at), -1).topics, told.topic
                )
            ),
            if(told.sample.owned, true, null)
        ) as subscribed
    from at_their_time as told
    left join {{ ref("lag_subscriptions") }} as groups
        on
            told.cluster = groups.cluster
            and told.day = groups.day
            and told.group_id = groups.group_id
    where told.sample is not null
),

measured as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        at,
        reporter,
        sample,
        subscribed,
        next_at,
        growth,
        greatest(sample.log_end_offset - greatest(sample.committed_offset, sample.log_start_offset), 0) as held_lag,
        case
            when sample.lag is null then null
            when sample.lag <= 0 then 'caught_up'
            when growth.next_at is null then 'older_than_seen'
            else 'interpolated'
        end as lag_ms_from,
        {{ burrow_status("at", "recent", "behind", "sample.lowest_recent_log_end_offset") }} as status
    from with_subscriptions
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    at as sampled_at,
    reporter,
    sample.committed_offset,
    sample.log_start_offset,
    sample.log_end_offset,
    sample.lag,
    subscribed,
    case when sample.lag is not null then if(subscribed, held_lag, if(not subscribed, 0, null)) end as true_lag,
    case when sample.lag is not null then if(subscribed, 0, if(not subscribed, held_lag, null)) end as ghost_lag,
    if(sample.log_start_offset - sample.committed_offset < 0, 0, sample.log_start_offset - sample.committed_offset)
        as phantom_lag,
    case lag_ms_from
        when 'caught_up' then 0
        when 'interpolated' then greatest(
            unix_millis(at) - unix_millis(growth.last_at) - cast(
                (unix_millis(growth.next_at) - unix_millis(growth.last_at))
                * ((sample.committed_offset - growth.log_end_offset) / (growth.next_log_end_offset - growth.log_end_offset))
                as bigint
            ), 0
        )
    end as lag_ms,
    lag_ms_from,
    sample.reported_lag,
    sample.reported_lag_ms,
    status,
    case status
        when 'ok' then 1
        when 'warn' then 2
        when 'stop' then 4
        when 'stall' then 5
        when 'rewind' then 6
    end as status_code,
    unix_millis(next_at) - unix_millis(at) as stands_ms
from measured
