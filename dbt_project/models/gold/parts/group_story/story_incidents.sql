-- one row per incident that disturbed a group, and day
with

incidents as (
    {{ coordinator_incidents() }}
),

deletions as (
    select *
    from {{ ref("incidents") }}
    where
        {{ is_selected_day() }}
        and kind in ('offsets_deleted', 'group_deleted')
)

select
    cluster,
    day,
    group_id,
    started_at as happened_at,
    -2L as turn,
    'incident' as kind,
    concat(
        upper(left(what, 1)), substr(what, 2), ', over after ',
        {{ seconds("(unix_millis(ended_at) - unix_millis(started_at))") }},
        ': what happens to the group meanwhile is not its own fault'
    ) as sentence,
    concat('gold.incidents, ', kind, ' ', subject) as evidence,
    array('group_logs') as sources
from incidents
union all
select
    cluster,
    day,
    subject as group_id,
    started_at as happened_at,
    -2L as turn,
    'incident' as kind,
    if(
        kind = 'group_deleted', 'An administrator deleted the group',
        'An administrator deleted committed offsets of the group'
    ) as sentence,
    concat('gold.incidents, ', kind, ' ', subject) as evidence,
    if(array_contains(evidence, 'broker_log'), array('group_logs'), array('offset_dumps')) as sources
from deletions
