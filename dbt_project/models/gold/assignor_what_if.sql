-- one row per generation and assignor: what it would have given to the same members, subscriptions and last owners
with

computed as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        member_count,
        flatten(transform(
            what_if.topics,
            of -> transform(
                if(of.partitions > 0, sequence(0, of.partitions - 1), array()),
                number -> named_struct('topic', of.topic, 'partition_id', number)
            )
        )) as partitions,
        explode(what_if.assignors) as result
    from {{ source("silver", "group_generations") }}
    where {{ generations_of_consumers() }}
),

given as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        result.assignor,
        member_count,
        explode(arrays_zip(partitions, result.owners)) as place
    from computed
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
    where {{ of_the_days() }}
    group by all
    having records > 0
),

read_by_member as (
    select
        given.cluster,
        given.day,
        given.group_id,
        given.incarnation,
        given.generation,
        given.assignor,
        given.member_count,
        given.place.owners as owner,
        sum(read_that_day.records) as records
    from given
    inner join read_that_day
        on
            given.cluster = read_that_day.cluster
            and given.day = read_that_day.day
            and given.group_id = read_that_day.group_id
            and given.place.partitions.topic = read_that_day.topic
            and given.place.partitions.partition_id = read_that_day.partition_id
    group by all
),

with_mean as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        assignor,
        member_count,
        records,
        sum(records) over (partition by cluster, day, group_id, incarnation, generation, assignor) / member_count as mean
    from read_by_member
),

read_by_assignor as (
    select
        cluster,
        day,
        group_id,
        incarnation,
        generation,
        assignor,
        {{ variation("records", "mean", "member_count") }} as rate_cv
    from with_mean
    group by cluster, day, group_id, incarnation, generation, assignor
)

select
    computed.cluster,
    computed.day,
    computed.group_id,
    computed.incarnation,
    computed.generation,
    computed.result.assignor,
    computed.result.is_actual,
    computed.result.spread,
    computed.result.idle_members,
    computed.result.partitions_moved,
    read_by_assignor.rate_cv
from computed
left join read_by_assignor
    on
        computed.cluster = read_by_assignor.cluster
        and computed.day = read_by_assignor.day
        and computed.group_id = read_by_assignor.group_id
        and computed.incarnation = read_by_assignor.incarnation
        and computed.generation = read_by_assignor.generation
        and computed.result.assignor = read_by_assignor.assignor
