-- one row per partition that a member is assigned in a generation, as the generation, or its first day, ended
with

generations as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        group_type
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

members as (
    select
        members.cluster,
        members.day,
        members.group_id,
        members.incarnation,
        members.generation,
        members.member_id,
        members.client_id,
        members.client_host,
        members.instance_id,
        members.owned,
        members.moved
    from {{ source("silver", "group_members") }} as members
    inner join generations
        on
            members.cluster = generations.cluster
            and members.day = generations.day
            and members.group_id = generations.group_id
            and members.incarnation = generations.incarnation
            and members.generation = generations.generation
            and members.group_type = generations.group_type
    where {{ is_selected_day("members.day") }}
),

by_topic as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_id,
        client_id,
        client_host,
        instance_id,
        explode(owned) as of_topic
    from members
),

owned as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_id,
        client_id,
        client_host,
        instance_id,
        coalesce(of_topic.topic, of_topic.topic_id) as topic,
        explode(of_topic.partitions) as partition_id
    from by_topic
),

moved as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_id,
        explode(moved) as place
    from members
)

-- Not by broadcast: Spark takes what is told in lists for as small as the file that it is packed in.
select /*+ merge(moved) */
    owned.cluster,
    owned.day,
    owned.group_id,
    owned.incarnation,
    owned.generation,
    owned.topic,
    owned.partition_id,
    owned.member_id,
    owned.client_id,
    owned.client_host,
    owned.instance_id,
    moved.place.from_member_id as moved_from_member_id,
    moved.place.from_client_id as moved_from_client_id
from owned
left join moved
    on
        owned.cluster = moved.cluster
        and owned.day = moved.day
        and owned.group_id = moved.group_id
        and owned.incarnation = moved.incarnation
        and owned.generation = moved.generation
        and owned.member_id = moved.member_id
        and owned.topic = moved.place.topic
        and owned.partition_id = moved.place.partition_id
