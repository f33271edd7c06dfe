-- one row per group whose last generation of the day is less even than with another assignor, and day
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
        balances.last_generation,
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
            and balances.last_generation.incarnation = what_if.incarnation
            and balances.last_generation.generation = what_if.generation
    where
        {{ is_selected_day("what_if.day") }}
        and balances.last_generation.spread >= 2
        and balances.last_generation.withheld = 0
        and not what_if.is_actual
        and coalesce(what_if.partitions_withheld, 0) = 0
        and {{ can_use_assignor("balances.last_generation.group_type", "what_if.assignor") }}
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
        'One member of group ', group_id, ' reads ', {{ quantity("last_generation.most", "partition") }}, ', another ',
        last_generation.fewest
    ) as title,
    concat(
        'Generation ', last_generation.generation, ', ', {{ quantity("last_generation.members", "member") }}, ', assigned by ',
        coalesce(last_generation.assignor, 'an unknown assignor'),
        coalesce(concat('; uneven topics: ', nullif(array_join(last_generation.skewed_topic_names, ', '), '')), '')
    ) as evidence,
    concat(
        'The member with most partitions falls behind first',
        coalesce(
            concat(
                '; the records read by each member vary by ', format_number(100 * last_generation.rate_cv, 0), ' % of their mean'
            ), ''
        )
    ) as cost,
    cast(null as bigint) as cost_records,
    cast(null as bigint) as cost_partition_ms,
    cast(null as bigint) as cost_members,
    concat('Use the assignor ', best.assignor) as recommendation,
    concat(
        'With the same members and partitions, ', best.assignor, ' has a spread of ', best.spread, ' instead of ',
        last_generation.spread,
        coalesce(
            concat(
                ', and the records read by each member vary by ', format_number(100 * best.rate_cv, 0), ' % instead of ',
                format_number(100 * last_generation.rate_cv, 0), ' %'
            ), ''
        )
    ) as expected_effect
from alternatives
where
    best.spread < last_generation.spread
    and coalesce(best.rate_cv <= last_generation.rate_cv, true)
