-- one row per group of which a part of the history is missing, and day
with

told as (
    select
        cluster,
        day,
        group_id,
        1 as gaps,
        if(complete, 0, 1) as gaps_over_holes,
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
        0 as gaps_over_holes,
        unobserved_before as unobserved
    from {{ ref("rebalances") }}
    where
        {{ is_selected_day() }}
        and unobserved_before > 0
),

by_group as (
    select
        cluster,
        day,
        group_id,
        sum(gaps) as gaps,
        sum(gaps_over_holes) as gaps_over_holes,
        sum(unobserved) as unobserved
    from told
    group by all
    having
        gaps_over_holes > 0
        or unobserved > 0
)

select
    cluster,
    day,
    group_id,
    'history_incomplete' as kind,
    '__consumer_offsets' as subject,
    'info' as severity,
    concat('Numbers of ', group_id, ' are of what is left of its history') as title,
    concat_ws(
        '; ',
        if(
            gaps_over_holes > 0,
            concat(gaps_over_holes, ' of ', {{ quantity("gaps", "gap") }}, ' go over places where records are missing'), null
        ),
        if(unobserved > 0, concat('up to ', {{ quantity("unobserved", "generation") }}, ' that no source shows'), null)
    ) as evidence,
    concat_ws(
        '; ',
        if(gaps_over_holes > 0, 'Gaps and replay windows are upper bounds, and regressions may be missing', null),
        if(unobserved > 0, 'There may have been more rebalances', null)
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    if(
        gaps_over_holes > 0,
        'Deliver the segments more often than the cleaner runs: several times a day, `.deleted` ones too',
        'Deliver the logs of the brokers, which tell of every generation'
    ) as recommendation,
    'Complete numbers' as expected_effect
from by_group
