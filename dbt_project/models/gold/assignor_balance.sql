-- one row per generation that has members and the consumer protocol: how even its assignment is
with

generations as (
    select
        * except (assignor),
        -- Brokers use uniform where no member asks for another assignor.
        if(group_type = 'consumer', coalesce(assignor, 'uniform'), assignor) as assignor
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

assignments as (
    select *
    from {{ ref("assignments") }}
    where {{ is_selected_day() }}
),

partition_loads as (
    select
        cluster,
        day,
        group_id,
        topic,
        partition_id,
        sum(advanced) as records
    from {{ ref("commit_gaps") }}
    where {{ is_selected_day() }}
    group by all
    having records > 0
),

-- Not by broadcast: Spark estimates rows with repeated values by the size of the compressed file.
member_loads as (
    select /*+ merge(assignments) */
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        generations.member_count,
        assignments.member_id,
        sum(partition_loads.records) as records
    from generations
    inner join assignments using (cluster, day, group_id, incarnation, generation)
    inner join partition_loads using (cluster, day, group_id, topic, partition_id)
    group by all
),

mean_loads as (
    select
        *,
        sum(records) over (partition by cluster, day, group_id, incarnation, generation) / member_count as mean
    from member_loads
),

load_variations as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        {{ coefficient_of_variation("records", "mean", "member_count") }} as rate_cv
    from mean_loads
    group by cluster, day, group_id, incarnation, generation
),

joined as (
    select
        generations.*,
        if(generations.balance is not null, load_variations.rate_cv, null) as rate_cv
    from generations
    left join load_variations using (cluster, day, group_id, incarnation, generation)
)

select
    cluster,
    day,
    group_id,
    incarnation,
    generation,
    group_type,
    assignor,
    member_count as members,
    balance.idle_members,
    partitions_assigned as partitions,
    balance.fewest,
    balance.most,
    balance.most - balance.fewest as spread,
    spread_possible,
    balance.cv,
    balance.gini,
    rate_cv,
    cast(array_size(balance.skewed_topics) as int) as skewed_topics,
    balance.skewed_topics as skewed_topic_names,
    balance.withheld
from joined
