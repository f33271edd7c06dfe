-- one row per group whose last generation of the day left members without a partition, and day
with

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(struct(members, idle_members, partitions, assignor), struct(incarnation, generation)) as last
    from {{ ref("assignor_balance") }}
    where {{ of_the_days() }}
    group by all
),

better as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        min_by(struct(assignor, idle_members), struct(idle_members, assignor)) as best
    from {{ ref("assignor_what_if") }}
    where {{ of_the_days() }}
    group by all
),

last_better as (
    select
        cluster,
        day,
        group_id,
        max_by(best, struct(incarnation, generation)) as best
    from better
    group by all
)

select
    balances.cluster,
    balances.day,
    balances.group_id,
    'idle_members' as kind,
    balances.group_id as subject,
    'info' as severity,
    concat(
        {{ counted("balances.last.idle_members", "member") }}, ' of ', balances.group_id, if(
            balances.last.idle_members = 1, ' has', ' have'
        ), ' nothing to read'
    ) as title,
    concat(
        {{ counted("balances.last.members", "member") }}, ' share ', {{ counted("balances.last.partitions", "partition") }},
        ' by ', coalesce(balances.last.assignor, 'an unknown assignor')
    ) as evidence,
    concat({{ counted("balances.last.idle_members", "consumer") }}, ' paid for and idle') as cost,
    cast(null as bigint) as cost_records,
    if(
        last_better.best.idle_members < balances.last.idle_members,
        concat('Use the assignor ', last_better.best.assignor),
        concat(
            'Run ',
            {{ counted("balances.last.members - balances.last.idle_members", "member") }},
            ', or give the topics more partitions'
        )
    ) as recommendation,
    concat(
        {{ counted("least(last_better.best.idle_members, balances.last.idle_members)", "member") }}, ' would be idle with ',
        last_better.best.assignor, ', by the same members and partitions'
    ) as expected_effect
from balances
inner join last_better
    on
        balances.cluster = last_better.cluster
        and balances.day = last_better.day
        and balances.group_id = last_better.group_id
where balances.last.idle_members > 0
