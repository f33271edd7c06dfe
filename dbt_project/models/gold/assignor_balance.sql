-- one row per generation that has members and the protocol of consumers: how even its assignment is
with

generations as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        group_type,
        -- what brokers compute where no member asks for another
        if(group_type = 'consumer', coalesce(assignor, 'uniform'), assignor) as assignor,
        member_count,
        partitions_assigned,
        balance,
        spread_possible
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

read_that_day as (
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

-- Not by broadcast: Spark takes equal rows for as small as the file that they are packed in.
read_by_member as (
    select /*+ merge(assignments) */
        generations.cluster,
        generations.day,
        generations.group_id,
        generations.incarnation,
        generations.generation,
        generations.member_count,
        assignments.member_id,
        sum(read_that_day.records) as records
    from generations
    inner join {{ ref("assignments") }} as assignments
        on
            generations.cluster = assignments.cluster
            and generations.day = assignments.day
            and generations.group_id = assignments.group_id
            and generations.incarnation = assignments.incarnation
            and generations.generation = assignments.generation
    inner join read_that_day
        on
            assignments.cluster = read_that_day.cluster
            and assignments.day = read_that_day.day
            and assignments.group_id = read_that_day.group_id
            and assignments.topic = read_that_day.topic
            and assignments.partition_id = read_that_day.partition_id
    where {{ is_selected_day("assignments.day") }}
    group by all
),

with_mean as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_count,
        records,
        sum(records) over (partition by cluster, day, group_id, incarnation, generation) / member_count as mean
    from read_by_member
),

read_by_generation as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        {{ coefficient_of_variation("records", "mean", "member_count") }} as rate_cv
    from with_mean
    group by cluster, day, group_id, incarnation, generation
)

select
    generations.cluster,
    generations.day,
    generations.group_id,
    generations.incarnation,
    generations.generation,
    generations.group_type,
    generations.assignor,
    generations.member_count as members,
    generations.balance.idle_members,
    generations.partitions_assigned as partitions,
    generations.balance.fewest,
    generations.balance.most,
    generations.balance.most - generations.balance.fewest as spread,
    generations.spread_possible,
    generations.balance.cv,
    generations.balance.gini,
    if(generations.balance is not null, read_by_generation.rate_cv, null) as rate_cv,
    cast(array_size(generations.balance.skewed_topics) as int) as skewed_topics,
    generations.balance.skewed_topics as skewed_topic_names,
    generations.balance.withheld
from generations
left join read_by_generation
    on
        generations.cluster = read_by_generation.cluster
        and generations.day = read_by_generation.day
        and generations.group_id = read_by_generation.group_id
        and generations.incarnation = read_by_generation.incarnation
        and generations.generation = read_by_generation.generation
