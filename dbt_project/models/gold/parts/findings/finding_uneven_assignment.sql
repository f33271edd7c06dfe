-- one row per group whose last generation of the day is less even than another assignor would make it, and day
with

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(
            struct(
                incarnation, generation, group_type, assignor, members, fewest, most, spread, rate_cv, skewed_topic_names,
                withheld
            ), struct(incarnation, generation)
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
        balances.last,
        min_by(
            struct(what_if.assignor, what_if.spread, what_if.rate_cv, what_if.partitions_moved),
            struct(what_if.spread, coalesce(what_if.rate_cv, double(0)), what_if.partitions_moved, what_if.assignor)
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
        and balances.last.spread >= 2
        and balances.last.withheld = 0
        and not what_if.is_actual
        and {{ can_use_assignor("balances.last.group_type", "what_if.assignor") }}
    group by all
)

select
    cluster,
    day,
    group_id,
    'uneven_assignment' as kind,
    group_id as subject,
    'info' as severity,
    concat(
        'One member of ', group_id, ' reads ', {{ quantity("last.most", "partition") }}, ', another ', last.fewest
    ) as title,
    concat(
        'Generation ', last.generation, ', ', {{ quantity("last.members", "member") }}, ' by ',
        coalesce(last.assignor, 'an unknown assignor'),
        coalesce(concat('; uneven by itself: ', nullif(array_join(last.skewed_topic_names, ', '), '')), '')
    ) as evidence,
    concat(
        'The fullest member falls behind first',
        coalesce(
            concat('; what members read varies by ', format_number(100 * last.rate_cv, 0), ' % of its mean'), ''
        )
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat('Use the assignor ', best.assignor) as recommendation,
    concat(
        'For the same members and partitions ', best.assignor, ' is ', best.spread, ' apart instead of ', last.spread,
        coalesce(
            concat(
                ', what they read varies by ', format_number(100 * best.rate_cv, 0), ' % instead of ',
                format_number(100 * last.rate_cv, 0), ' %'
            ), ''
        )
    ) as expected_effect
from better
where
    best.spread < last.spread
    and coalesce(best.rate_cv <= last.rate_cv, true)
