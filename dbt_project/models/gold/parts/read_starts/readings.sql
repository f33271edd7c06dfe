-- one row per start of reading, with the position where it began and what was committed before and during it
with

starts as (
    select * from {{ ref("reading_starts") }}
),

restarted_partitions as (
    select *
    from starts
    where cause != 'first'
),

-- Aborted commits are positions too that the reader had reached, but nobody starts there.
commits as (
    select
        cluster,
        explode({{ own_and_next_day() }}) as known_on,
        group_id,
        topic,
        partition_id,
        committed_at as at,
        committed_offset,
        {{ is_effective_commit() }} as is_effective,
        coalesce(generation_members, -1) != 0 as is_by_reader,
        {{ commit_kind() }} as kind,
        previous_committed_offset,
        true as is_of_these_days
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_or_previous_day() }}
        and committed_offset is not null
),

known_commits as (
    select *
    from commits
    where {{ is_selected_day("known_on") }}
    union all
    -- The position at the end of the day before.
    select
        cluster,
        date_add(day, 1) as known_on,
        group_id,
        topic,
        partition_id,
        committed_at as at,
        committed_offset,
        true as is_effective,
        true as is_by_reader,
        'first' as kind,
        null as previous_committed_offset,
        false as is_of_these_days
    from {{ source("silver", "positions") }}
    where
        {{ is_day_in(previous_days()) }}
        and committed_offset is not null
        and committed_at is not null
),

position_lines as (
    select
        cluster,
        explode({{ own_and_next_day() }}) as known_on,
        group_id,
        {{ topic_of("details['topic_partition']") }} as topic,
        {{ partition_of("details['topic_partition']") }} as partition_id,
        happened_at as at,
        try_cast(details['offset'] as bigint) as position
    from {{ source("silver", "group_events") }}
    where
        {{ is_selected_or_previous_day() }}
        and event in ('position_set', 'offset_reset', 'sought')
        and group_id is not null
),

commits_of_restarted_partitions as (
    select known_commits.*
    from known_commits
    left semi join restarted_partitions using (cluster, known_on, group_id, topic, partition_id)
),

timeline as (
    select
        cluster,
        known_on,
        group_id,
        topic,
        partition_id,
        at,
        0 as step,
        struct(*) as commit,
        cast(null as bigint) as position,
        null as start
    from commits_of_restarted_partitions
    union all
    select
        cluster,
        known_on,
        group_id,
        topic,
        partition_id,
        started_at as at,
        1 as step,
        null as commit,
        null as position,
        struct(*) as start
    from starts
    union all
    select
        cluster,
        known_on,
        group_id,
        topic,
        partition_id,
        at,
        2 as step,
        null as commit,
        position,
        null as start
    from position_lines
    where
        {{ is_selected_day("known_on") }}
        and position is not null
        and partition_id is not null
),

numbered as (
    select
        *,
        count(start) over so_far as reading_number,
        last(position) ignore nulls over so_far as last_position
    from timeline
    window so_far as (
        partition by cluster, known_on, group_id, topic, partition_id
        order by at asc, step asc
        rows between unbounded preceding and current row
    )
),

-- Number 0 is what is known before the first start.
readings as (
    select
        cluster,
        known_on,
        group_id,
        topic,
        partition_id,
        reading_number,
        max(start) as start,
        min_by(position, struct(at, step)) filter (where position is not null) as logged_position,
        max(commit.committed_offset) filter (where commit.is_by_reader) as highest_commit,
        max_by(commit.committed_offset, at) filter (where commit.is_effective) as last_commit,
        max(at) filter (where commit.is_effective) as last_commit_at,
        -- The first commit after a reset advances from the position that it chose.
        max(commit.committed_offset - greatest(commit.previous_committed_offset, last_position)) filter (
            where commit.is_effective and commit.kind = 'advance'
        ) as largest_advance,
        count_if(commit.is_effective and commit.kind = 'repeat') as repeats,
        count_if(commit.is_effective and commit.is_of_these_days) as commits,
        count_if(not commit.is_effective) as commits_not_effective
    from numbered
    group by all
),

starting_positions as (
    select
        *,
        last(last_commit) ignore nulls over earlier as committed_before,
        last(last_commit_at) ignore nulls over earlier as committed_before_at,
        case
            when start.cause = 'seek' then coalesce(start.sought_position, logged_position)
            when start.cause = 'reset' then logged_position
            else coalesce(logged_position, committed_before)
        end as start_offset,
        greatest(highest_commit, start_offset) as reached
    from readings
    window earlier as (
        partition by cluster, known_on, group_id, topic, partition_id
        order by reading_number
        rows between unbounded preceding and 1 preceding
    )
)

select
    *,
    last(reached) ignore nulls over earlier as reached_before,
    sum(commits) over whole_day as commits_of_the_partition,
    sum(repeats) over whole_day as repeats_of_the_partition,
    sum(commits_not_effective) over whole_day as commits_not_effective_of_the_partition,
    max(largest_advance) over whole_day as largest_advance_of_the_partition
from starting_positions
window
    earlier as (
        partition by cluster, known_on, group_id, topic, partition_id
        order by reading_number
        rows between unbounded preceding and 1 preceding
    ),
    whole_day as (partition by cluster, known_on, group_id, topic, partition_id)
