-- one row per group whose last generation of the day left members without a partition, and day
with

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(incarnation, generation, group_type, members, idle_members, partitions, assignor),
            struct(incarnation, generation)
        ) as last
    from {{ ref("assignor_balance") }}
    where {{ is_selected_day() }}
    group by all
),

better as (
    select
        balances.cluster,
        balances.day,
        balances.group_id,
        min_by(
            struct(what_if.assignor, what_if.idle_members), struct(what_if.idle_members, not what_if.is_actual, what_if.assignor)
        ) as best
    from balances
    inner join {{ ref("assignor_what_if") }} as what_if
        on
            balances.cluster = what_if.cluster
            and balances.day = what_if.day
            and balances.group_id = what_if.group_id
            and balances.last.incarnation = what_if.incarnation
            and balances.last.generation = what_if.generation
    where
        {{ is_selected_day("what_if.day") }}
        and {{ can_use_assignor("balances.last.group_type", "what_if.assignor") }}
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
        {{ quantity("balances.last.idle_members", "member") }}, ' of ', balances.group_id, if(
            balances.last.idle_members = 1, ' has', ' have'
        ), ' nothing to read'
    ) as title,
    concat(
        {{ quantity("balances.last.members", "member") }}, ' share ', {{ quantity("balances.last.partitions", "partition") }},
        ' by ', coalesce(balances.last.assignor, 'an unknown assignor')
    ) as evidence,
    concat({{ quantity("balances.last.idle_members", "consumer") }}, ' paid for and idle') as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(balances.last.idle_members as bigint) as cost_members,
    if(
        better.best.idle_members < balances.last.idle_members,
        concat('Use the assignor ', better.best.assignor),
        concat(
            'Run ',
            {{ quantity("balances.last.members - balances.last.idle_members", "member") }},
            ', or give the topics more partitions'
        )
    ) as recommendation,
    if(
        better.best.idle_members < balances.last.idle_members,
        concat(
            {{ quantity("better.best.idle_members", "member") }}, ' idle instead of ', balances.last.idle_members,
            ', with the same members and partitions'
        ),
        concat(
            {{ quantity("balances.last.idle_members", "consumer") }}, ' fewer to pay for',
            if(better.best is null, '', '; no assignor has work for more')
        )
    ) as expected_effect
from balances
left join better
    on
        balances.cluster = better.cluster
        and balances.day = better.day
        and balances.group_id = better.group_id
where balances.last.idle_members > 0
