-- one row per group and topic whose lag grows, or that the group no longer reads, and day
with

-- The last sample of the day with a status, of whichever reporter.
last_samples as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        max_by(
            struct(sampled_at, reporter, status, committed_offset, true_lag, lag_ms, consumed_per_s, produced_per_s, drained_at),
            struct(sampled_at, reporter)
        ) as sample
    from {{ ref("lag") }}
    where
        {{ is_selected_day() }}
        and status is not null
        and true_lag is not null
    group by all
),

-- Since when the position is where it is: the first sample of the day that has it.
positions_since as (
    select
        samples.cluster,
        samples.day,
        samples.group_id,
        samples.topic,
        samples.partition_id,
        min(samples.sampled_at) as since
    from {{ ref("lag") }} as samples
    inner join last_samples
        on
            samples.cluster = last_samples.cluster
            and samples.day = last_samples.day
            and samples.group_id = last_samples.group_id
            and samples.topic = last_samples.topic
            and samples.partition_id = last_samples.partition_id
            and samples.committed_offset = last_samples.sample.committed_offset
    where {{ is_selected_day("samples.day") }}
    group by all
),

commits as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        commits,
        last_committed_at
    from {{ ref("commit_health") }}
    where {{ is_selected_day() }}
),

groups as (
    select
        cluster,
        day,
        group_id,
        max_by(struct(member_count, emptied_at, deleted_at), coalesce(record_offset, -1)) as state
    from {{ source("silver", "groups") }}
    where {{ is_selected_day() }}
    group by all
),

deleted_groups as (
    select
        cluster,
        day,
        subject as group_id
    from {{ ref("incidents") }}
    where
        {{ is_selected_day() }}
        and kind = 'group_deleted'
),

lagging_partitions as (
    select
        last_samples.cluster,
        last_samples.day,
        last_samples.group_id,
        last_samples.topic,
        last_samples.partition_id,
        last_samples.sample.*,
        coalesce(commits.last_committed_at, positions_since.since) as last_committed_at,
        commits.commits
    from last_samples
    left join positions_since using (cluster, day, group_id, topic, partition_id)
    left join commits using (cluster, day, group_id, topic, partition_id)
    where
        last_samples.sample.status in ('stop', 'stall', 'warn')
        -- One record that nobody reads is another finding: off_by_one.
        and last_samples.sample.true_lag > 1
        -- Nor has one stopped that committed after the sample.
        and (last_samples.sample.status != 'stop' or (commits.last_committed_at > last_samples.sample.sampled_at) is not true)
),

topics as (
    select
        cluster,
        day,
        group_id,
        topic,
        count(*) as partitions,
        sum(true_lag) as records,
        max(lag_ms) as lag_ms,
        -- The worst of them decides what the finding says.
        min_by(status, array_position(array('stop', 'stall', 'warn'), status)) as status,
        max(last_committed_at) as since,
        max(commits) as commits,
        max(sampled_at) as sampled_at,
        sum(consumed_per_s) as consumed_per_s,
        sum(produced_per_s) as produced_per_s,
        if(count(drained_at) = count(*), max(drained_at), null) as drained_at
    from lagging_partitions
    group by all
),

with_groups as (
    select
        topics.*,
        groups.state.member_count,
        groups.state.emptied_at,
        groups.state.deleted_at,
        coalesce(topics.produced_per_s > 0, false) as grows,
        -- A tool sets an offset once or twice; a consumer without group membership commits again and again.
        coalesce(groups.group_id is null and topics.status = 'stop' and topics.commits <= 2, false) as is_by_a_tool
    from topics
    left join groups using (cluster, day, group_id)
    -- What an administrator deleted is an incident.
    left anti join deleted_groups using (cluster, day, group_id)
)

select
    cluster,
    day,
    group_id,
    'lag' as kind,
    topic as subject,
    -- A group that expired, or that was stopped and for which nothing more is produced, may be done.
    if(deleted_at is not null or (member_count = 0 and not grows) or is_by_a_tool, 'info', 'warning') as severity,
    concat(
        'Group ', group_id,
        case
            when deleted_at is not null
                then concat(
                    ' expired with its committed offsets, ', {{ quantity("records", "record") }}, ' of ', topic, ' before the end'
                )
            when member_count = 0
                then concat(' has no members, and ', {{ quantity("records", "record") }}, ' of ', topic, ' wait for it')
            when is_by_a_tool then concat(' has no members, only offsets that a tool committed for it on ', topic, ',')
            when status = 'stop' then concat(' no longer commits on ', topic)
            when status = 'stall' then concat(' commits the same offsets of ', topic, ' again and again')
            else concat(' does not catch up on ', topic)
        end,
        if(
            coalesce(member_count = 0, deleted_at is not null), '',
            concat(' and is ', {{ quantity("records", "record") }}, ' behind')
        )
    ) as title,
    concat(
        'Status ', status, ' on ', {{ quantity("partitions", "partition") }},
        coalesce(concat(if(status = 'stop', ', no commit since ', ', last commit at '), {{ utc("since") }}), ''),
        coalesce(concat(', no members since ', {{ utc("emptied_at") }}), ''),
        coalesce(concat(', removed at ', {{ utc("deleted_at") }}), ''),
        '; sampled at ', {{ utc("sampled_at") }},
        coalesce(concat('; the oldest record waits for ', {{ seconds("lag_ms") }}), '')
    ) as evidence,
    concat(
        {{ quantity("records", "record") }}, ' not read',
        case
            when grows and produced_per_s > coalesce(consumed_per_s, 0)
                then concat(', ', format_number(60 * (produced_per_s - coalesce(consumed_per_s, 0)), 0), ' more every minute')
            when not grows then '; nothing more is produced'
            else ''
        end
    ) as cost,
    -- What waits for a group that was stopped is not lost, and ranks behind what costs something now.
    if(coalesce(member_count = 0, deleted_at is not null or is_by_a_tool), null, records) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    case
        when deleted_at is not null
            then 'Nothing to do if it is no longer needed; otherwise auto.offset.reset decides where it starts again'
        when member_count = 0 or is_by_a_tool then 'Start the group, or delete it if it is no longer needed'
        when status = 'stop'
            then 'Find out what its consumers wait for: a long batch, a paused partition, a commit that fails'
        when status = 'stall' then 'Find the record that can''t be processed: the consumer commits, but does not move on'
        else 'Run more consumers, up to the number of partitions, or process each batch faster'
    end as recommendation,
    coalesce(
        concat('At these rates it has caught up at ', {{ utc("drained_at") }}),
        concat({{ quantity("records", "record") }}, ' read; at the present rates it does not catch up')
    ) as expected_effect
from with_groups
