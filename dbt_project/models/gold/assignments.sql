-- one row per partition that a member is assigned in a generation, as it was when the generation, or its first day, ended
with

generations as (
    select *
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

members as (
    select members.*
    from {{ source("silver", "group_members") }} as members
    left semi join generations using (cluster, day, group_id, incarnation, generation, group_type)
    where {{ is_selected_day("members.day") }}
),

assigned_topics as (
    select
        *,
        explode(owned) as assigned_topic
    from members
),

assigned_partitions as (
    select
        *,
        coalesce(assigned_topic.topic, assigned_topic.topic_id) as topic,
        explode(assigned_topic.partitions) as partition_id
    from assigned_topics
),

moved_partitions as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_id,
        moved_partition.topic,
        moved_partition.partition_id,
        moved_partition.from_member_id as moved_from_member_id,
        moved_partition.from_client_id as moved_from_client_id
    from members
        lateral view explode(moved) as moved_partition
),

-- Not by broadcast: Spark estimates rows of exploded lists by the size of the compressed file.
joined as (
    select /*+ merge(moved_partitions) */
        assigned_partitions.*,
        moved_partitions.moved_from_member_id,
        moved_partitions.moved_from_client_id
    from assigned_partitions
    left join moved_partitions
        using (cluster, day, group_id, incarnation, generation, member_id, topic, partition_id)
)

select
    cluster,
    day,
    group_id,
    incarnation,
    generation,
    topic,
    partition_id,
    member_id,
    client_id,
    client_host,
    instance_id,
    moved_from_member_id,
    moved_from_client_id
from joined
