-- one row per group with gaps over holes of the log, and day
with

gaps as (
    select
        cluster,
        day,
        group_id,
        complete
    from {{ ref("commit_gaps") }}
    where
        {{ of_the_days() }}
        and complete is not null
),

by_group as (
    select
        cluster,
        day,
        group_id,
        count(*) as gaps,
        count_if(not complete) as gaps_over_holes
    from gaps
    group by all
    having gaps_over_holes > 0
)

select
    cluster,
    day,
    group_id,
    'history_incomplete' as kind,
    '__consumer_offsets' as subject,
    'info' as severity,
    concat('Numbers of ', group_id, ' are of what is left of its log') as title,
    concat(gaps_over_holes, ' of ', {{ counted("gaps", "gap") }}, ' go over places where records are missing') as evidence,
    'Gaps and replay windows are upper bounds, and regressions may be missing' as cost,
    cast(null as bigint) as cost_records,
    'Deliver the segments more often than the cleaner runs: several times a day, `.deleted` ones too' as recommendation,
    'Complete numbers' as expected_effect
from by_group
