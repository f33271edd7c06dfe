-- one row per group whose last generation of the day has members without a partition, and day
with

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(incarnation, generation, group_type, members, idle_members, partitions, assignor),
            struct(incarnation, generation)
        ) as last_generation
    from {{ ref("assignor_balance") }}
    where {{ is_selected_day() }}
    group by all
),

alternatives as (
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
            and balances.last_generation.incarnation = what_if.incarnation
            and balances.last_generation.generation = what_if.generation
    where
        {{ is_selected_day("what_if.day") }}
        and coalesce(what_if.partitions_withheld, 0) = 0
        and {{ can_use_assignor("balances.last_generation.group_type", "what_if.assignor") }}
    group by all
),

groups as (
    select
        balances.*,
        balances.last_generation.members,
        balances.last_generation.idle_members,
        balances.last_generation.partitions,
        coalesce(balances.last_generation.assignor, 'an unknown assignor') as assignor,
        alternatives.best,
        alternatives.best.idle_members < balances.last_generation.idle_members as is_avoidable
    from balances
    left join alternatives using (cluster, day, group_id)
    where balances.last_generation.idle_members > 0
)

select
    cluster,
    day,
    group_id,
    'idle_members' as kind,
    group_id as subject,
    'info' as severity,
    concat(
        {{ quantity("idle_members", "member") }}, ' of group ', group_id, if(idle_members = 1, ' has', ' have'), ' no partition'
    ) as title,
    concat(
        {{ quantity("members", "member") }}, ' share ', {{ quantity("partitions", "partition") }}, ', assigned by ', assignor
    ) as evidence,
    concat(
        {{ quantity("idle_members", "consumer") }}, if(idle_members = 1, ' runs but reads', ' run but read'), ' nothing'
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(idle_members as bigint) as cost_members,
    if(
        is_avoidable,
        concat('Use the assignor ', best.assignor),
        concat('Run ', {{ quantity("members - idle_members", "member") }}, ', or add partitions to the topics')
    ) as recommendation,
    if(
        is_avoidable,
        concat(
            {{ quantity("best.idle_members", "idle member") }}, ' instead of ', idle_members,
            ', with the same members and partitions'
        ),
        concat(
            {{ quantity("idle_members", "fewer consumer") }}, ' to pay for',
            if(best is null, '', '; no assignor has work for more')
        )
    ) as expected_effect
from groups
