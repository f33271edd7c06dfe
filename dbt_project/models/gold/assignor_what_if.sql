-- one row per generation and assignor: what it assigned, or would have assigned to the same members
with

generations as (
    select *
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

results as (
    select
        *,
        what_if.topics,
        explode(what_if.assignors) as result
    from generations
),

-- Many generations of a group have as many members, the same topics and so the same result: each result is expanded once.
distinct_results as (
    select distinct
        cluster,
        day,
        group_id,
        member_count,
        topics,
        result.owners
    from results
),

assigned_partitions as (
    select
        *,
        posexplode(flatten(transform(
            topics,
            topic -> transform(
                if(topic.partitions > 0, sequence(0, topic.partitions - 1), array()),
                partition_id -> named_struct('topic', topic.topic, 'partition_id', partition_id)
            )
        ))) as (number, assigned_partition)
    from distinct_results
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

-- Not by broadcast: Spark estimates rows of exploded lists by the size of the compressed file.
member_loads as (
    select /*+ merge(assigned_partitions) */
        assigned_partitions.cluster,
        assigned_partitions.day,
        assigned_partitions.group_id,
        assigned_partitions.member_count,
        assigned_partitions.topics,
        assigned_partitions.owners,
        get(assigned_partitions.owners, assigned_partitions.number) as owner,
        sum(partition_loads.records) as records
    from assigned_partitions
    inner join partition_loads
        on
            assigned_partitions.cluster = partition_loads.cluster
            and assigned_partitions.day = partition_loads.day
            and assigned_partitions.group_id = partition_loads.group_id
            and assigned_partitions.assigned_partition.topic = partition_loads.topic
            and assigned_partitions.assigned_partition.partition_id = partition_loads.partition_id
    -- A withheld partition has no owner.
    where get(assigned_partitions.owners, assigned_partitions.number) is not null
    group by all
),

mean_loads as (
    select
        *,
        sum(records) over (partition by cluster, day, group_id, member_count, topics, owners) / member_count as mean
    from member_loads
),

load_variations as (
    select
        cluster,
        day,
        group_id,
        member_count,
        topics,
        owners,
        {{ coefficient_of_variation("records", "mean", "member_count") }} as rate_cv
    from mean_loads
    group by cluster, day, group_id, member_count, topics, owners
),

joined as (
    select
        results.*,
        load_variations.rate_cv
    from results
    left join load_variations
        on
            results.cluster = load_variations.cluster
            and results.day = load_variations.day
            and results.group_id = load_variations.group_id
            and results.member_count = load_variations.member_count
            and results.topics = load_variations.topics
            and results.result.owners = load_variations.owners
)

select
    cluster,
    day,
    group_id,
    incarnation,
    generation,
    result.assignor,
    result.is_actual,
    result.spread,
    result.idle_members,
    result.partitions_moved,
    result.partitions_withheld,
    rate_cv
from joined
