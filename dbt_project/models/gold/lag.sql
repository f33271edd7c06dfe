-- one row per sample of a position: reporter, time, group and partition
with

samples as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.topic,
        told.partition_id,
        committed.group_id is not null as has_commits,
        struct(
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
            end as frozen
        ) as sample
    from {{ source("silver", "lag_samples") }} as told
    left join {{ ref("lag_committed") }} as committed
        on
            told.cluster = committed.cluster
            and told.day = committed.day
            and told.group_id = committed.group_id
            and told.topic = committed.topic
            and told.partition_id = committed.partition_id
    where {{ of_the_days("told.day") }}
),

with_commits as (
    select
        samples.cluster,
        samples.day,
        samples.group_id,
        samples.topic,
        samples.partition_id,
        samples.sample.sampled_at as at,
        samples.sample.reporter,
        cast(null as bigint) as record_offset,
        samples.sample,
        log_ends.lowest_recent_log_end_offset,
        null as recent
    from samples
    left join {{ ref("lag_log_ends") }} as log_ends
        on
            samples.cluster = log_ends.cluster
            and samples.day = log_ends.day
            and samples.topic = log_ends.topic
            and samples.partition_id = log_ends.partition_id
            and samples.sample.reporter = log_ends.reporter
            and samples.sample.sampled_at = log_ends.sampled_at
    where samples.has_commits
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        at,
        null as reporter,
        record_offset,
        null as sample,
        null as lowest_recent_log_end_offset,
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
        group_id,
        topic,
        partition_id,
        sample,
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
        sample,
        lowest_recent_log_end_offset,
        recent
    from at_their_time
    where sample is not null
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sample,
        null as lowest_recent_log_end_offset,
        null as recent
    from samples
    where not has_commits
),

with_subscriptions as (
    select
        told.cluster,
        told.day,
        told.group_id,
        told.topic,
        told.partition_id,
        told.sample,
        told.lowest_recent_log_end_offset,
        told.recent,
        coalesce(told.sample.lag, told.sample.log_end_offset - told.recent.last_committed_offset) as behind,
        greatest(
            told.sample.log_end_offset - greatest(told.sample.committed_offset, told.sample.log_start_offset), 0
        ) as held_lag,
        coalesce(
            if(
                groups.group_id is null,
                if(told.recent.commits > 0, true, null),
                array_contains(
                    try_element_at(filter(groups.subscriptions, s -> s.since <= told.sample.sampled_at), -1).topics,
                    told.topic
                )
            ),
            if(told.sample.owned, true, null)
        ) as subscribed
    from by_commits as told
    left join {{ ref("lag_subscriptions") }} as groups
        on
            told.cluster = groups.cluster
            and told.day = groups.day
            and told.group_id = groups.group_id
),

measured as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sample,
        subscribed,
        held_lag,
        case
            when sample.lag is null then null
            when sample.lag <= 0 then 'caught_up'
            when sample.log_ended_at is null then 'older_than_seen'
            else 'interpolated'
        end as lag_ms_from,
        {{ burrow_status("sample.sampled_at", "recent", "behind", "lowest_recent_log_end_offset") }} as status
    from with_subscriptions
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    sample.sampled_at,
    sample.reporter,
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
        when 'interpolated' then greatest(unix_millis(sample.sampled_at) - unix_millis(sample.log_ended_at), 0)
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
    sample.frozen,
    unix_millis(sample.next_sampled_at) - unix_millis(sample.sampled_at) as stands_ms
from measured
