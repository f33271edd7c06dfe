-- one row per effective commit: its distance in time and in offsets from the effective commit before it
with

commits as (
    select
        *,
        {{ commit_kind() }} as kind
    from {{ source("silver", "offset_commits") }}
    where
        {{ is_selected_day() }}
        and {{ is_effective_commit() }}
        and committed_offset is not null
)

select
    cluster,
    day,
    group_id,
    topic,
    partition_id,
    committed_at,
    record_offset,
    previous_committed_at,
    unix_millis(committed_at) - unix_millis(previous_committed_at) as gap_ms,
    previous_committed_offset as previous_offset,
    committed_offset,
    committed_offset - previous_committed_offset as advanced,
    kind,
    cast(null as string) as cause,
    cast(null as bigint) as distance_back,
    if(kind in ('advance', 'repeat'), 0, null) as redelivered,
    generation,
    owner_client_id,
    complete,
    producer_id is not null as transactional,
    expires_at,
    generation_members = 0 as while_empty,
    cast(null as boolean) as out_of_range
from commits
where kind != 'regression'
union all
select *  -- noqa: AM04
from {{ ref("commit_regressions") }}
