-- one row per group whose history is incomplete, and day
with

history as (
    select
        cluster,
        day,
        group_id,
        1 as gaps,
        if(complete, 0, 1) as incomplete_gaps,
        0 as unobserved
    from {{ ref("commit_gaps") }}
    where
        {{ is_selected_day() }}
        and complete is not null
    union all
    select
        cluster,
        day,
        group_id,
        0 as gaps,
        0 as incomplete_gaps,
        unobserved_before as unobserved
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and unobserved_before > 0
),

groups as (
    select
        cluster,
        day,
        group_id,
        sum(gaps) as gaps,
        sum(incomplete_gaps) as incomplete_gaps,
        sum(unobserved) as unobserved
    from history
    group by all
    having
        incomplete_gaps > 0
        or unobserved > 0
)

select
    cluster,
    day,
    group_id,
    'history_incomplete' as kind,
    '__consumer_offsets' as subject,
    'info' as severity,
    concat('The history of group ', group_id, ' is incomplete') as title,
    concat_ws(
        '; ',
        if(
            incomplete_gaps > 0,
            concat(
                incomplete_gaps, ' of ', {{ quantity("gaps", "commit gap") }},
                if(incomplete_gaps = 1, ' spans', ' span'), ' missing records'
            ), null
        ),
        if(unobserved > 0, concat('up to ', {{ quantity("unobserved", "generation") }}, ' missing from every source'), null)
    ) as evidence,
    concat_ws(
        '; ',
        if(incomplete_gaps > 0, 'Gaps and replay windows are upper bounds, and regressions may be missing', null),
        if(unobserved > 0, 'Rebalances may be missing', null)
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        incomplete_gaps > 0,
        'Deliver the segments more often than the log cleaner runs: several times a day, and the `.deleted` ones too',
        'Deliver the brokers'' logs, which contain every generation'
    ) as recommendation,
    'Complete numbers' as expected_effect
from groups
