-- one row per sample of a position: reporter, time, group and partition
with

samples as (
    select
        samples.cluster,
        samples.day,
        samples.group_id,
        samples.topic,
        samples.partition_id,
        samples.sampled_at,
        samples.reporter,
        struct(
            samples.committed_offset,
            coalesce(samples.log_start_offset, samples.known_log_start_offset) as log_start_offset,
            samples.log_end_offset,
            samples.lag,
            samples.reported_lag,
            samples.reported_lag_ms,
            samples.log_ended_at,
            samples.next_sampled_at,
            samples.owner_member_id is not null as is_owned,
            case
                when
                    samples.lag > 0
                    and samples.unchanged_since < samples.generation_changed_at
                    and coalesce(samples.other_log_end_offset != samples.log_end_offset, true)
                    then 'repeats'
                when samples.left_out_since < samples.generation_changed_at then 'left_out'
            end as frozen,
            {{ sample_before("samples") }} as before,
            samples.committed_offset > {{ last_sample_before("samples") }}.committed_offset as is_consuming
        ) as sample,
        committed.group_id is not null as has_commits
    from {{ source("silver", "lag_samples") }} as samples
    left join {{ ref("lag_committed") }} as committed
        on
            samples.cluster = committed.cluster
            and samples.day = committed.day
            and samples.group_id = committed.group_id
            and samples.topic = committed.topic
            and samples.partition_id = committed.partition_id
    where {{ is_selected_day("samples.day") }}
),

-- Samples and windows of commits in order of time, so that each sample finds the last window before it.
timeline as (
    select
        cluster,
        day,
        samples.group_id,
        topic,
        partition_id,
        sampled_at as at,
        reporter,
        cast(null as bigint) as record_offset,
        samples.sample,
        log_ends.lowest_recent_log_end_offset,
        null as commit_window
    from samples
    left join {{ ref("lag_log_ends") }} as log_ends using (cluster, day, topic, partition_id, reporter, sampled_at)
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
            lowest_lag, rewound, is_stalled, lag_never_falls
        ) as commit_window
    from {{ ref("lag_commit_windows") }}
),

last_windows as (
    select
        * except (commit_window),
        last(commit_window, true) over (
            partition by cluster, day, topic, partition_id, group_id
            order by at, reporter, record_offset
            rows between unbounded preceding and current row
        ) as commit_window
    from timeline
),

-- Samples without a known commit need no order of time.
samples_with_windows as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        at as sampled_at,
        reporter,
        sample.*,
        lowest_recent_log_end_offset,
        commit_window
    from last_windows
    where sample is not null
    union all
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sampled_at,
        reporter,
        sample.*,
        null as lowest_recent_log_end_offset,
        null as commit_window
    from samples
    where not has_commits
),

subscriptions as (
    select * from {{ ref("lag_subscriptions") }}
),

measured as (
    select
        samples.*,
        greatest(samples.log_end_offset - greatest(samples.committed_offset, samples.log_start_offset), 0) as held_lag,
        coalesce(
            if(
                subscriptions.group_id is null,
                if(samples.commit_window.commits > 0, true, null),
                array_contains(subscriptions.topics, samples.topic)
            ),
            if(samples.is_owned, true, null)
        ) as subscribed,
        case
            when samples.lag is null then null
            when samples.lag <= 0 then 'caught_up'
            when samples.log_ended_at is null then 'older_than_seen'
            else 'interpolated'
        end as lag_ms_from,
        {{ burrow_status(
            "samples.sampled_at", "samples.commit_window", "samples.lag", "samples.lowest_recent_log_end_offset"
        ) }} as status,
        {{ per_second("samples", "committed_offset") }} as consumed_per_s,
        {{ per_second("samples", "log_end_offset") }} as produced_per_s
    from samples_with_windows as samples
    left join subscriptions
        on
            samples.cluster = subscriptions.cluster
            and samples.day = subscriptions.day
            and samples.group_id = subscriptions.group_id
            and samples.sampled_at >= subscriptions.since
            and (subscriptions.until is null or samples.sampled_at < subscriptions.until)
),

split_by_subscription as (
    select
        *,
        case when lag is not null then if(subscribed, held_lag, if(not subscribed, 0, null)) end as true_lag,
        case when lag is not null then if(subscribed, 0, if(not subscribed, held_lag, null)) end as ghost_lag
    from measured
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
    true_lag,
    ghost_lag,
    if(log_start_offset - committed_offset < 0, 0, log_start_offset - committed_offset) as phantom_lag,
    case lag_ms_from
        when 'caught_up' then 0
        when 'interpolated' then greatest(unix_millis(sampled_at) - unix_millis(log_ended_at), 0)
    end as lag_ms,
    lag_ms_from,
    reported_lag,
    reported_lag_ms,
    status,
    {{ burrow_status_code("status") }} as status_code,
    consumed_per_s,
    produced_per_s,
    {{ drained_at("sampled_at", "true_lag", "consumed_per_s", "produced_per_s", "is_consuming") }} as drained_at,
    frozen,
    unix_millis(next_sampled_at) - unix_millis(sampled_at) as stands_ms
from split_by_subscription
