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
        what_if.topics,
        explode(what_if.assignors) as result
    from {{ source("silver", "group_generations") }}
    where {{ is_consumer_generation() }}
),

-- Generation after generation of a group has the same members in number, the same topics and so the same result: a place
-- is looked at once for all of them.
results as (
    select distinct
        cluster,
        day,
        group_id,
        member_count,
        topics,
        result.owners
    from computed
),

given as (
    select
        cluster,
        day,
        group_id,
        member_count,
        topics,
        owners,
        posexplode(flatten(transform(
            topics,
            of -> transform(
                if(of.partitions > 0, sequence(0, of.partitions - 1), array()),
                number -> named_struct('topic', of.topic, 'partition_id', number)
            )
        ))) as (number, place)
    from results
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

-- Not by broadcast: Spark takes what is told in lists for as small as the file that it is packed in.
read_by_member as (
    select /*+ merge(given) */
        given.cluster,
        given.day,
        given.group_id,
        given.member_count,
        given.topics,
        given.owners,
        get(given.owners, given.number) as owner,
        sum(read_that_day.records) as records
    from given
    inner join read_that_day
        on
            given.cluster = read_that_day.cluster
            and given.day = read_that_day.day
            and given.group_id = read_that_day.group_id
            and given.place.topic = read_that_day.topic
            and given.place.partition_id = read_that_day.partition_id
    group by all
),

with_mean as (
    select
        cluster,
        day,
        group_id,
        member_count,
        topics,
        owners,
        records,
        sum(records) over (partition by cluster, day, group_id, member_count, topics, owners) / member_count as mean
    from read_by_member
),

read_by_result as (
    select
        cluster,
        day,
        group_id,
        member_count,
        topics,
        owners,
        {{ coefficient_of_variation("records", "mean", "member_count") }} as rate_cv
    from with_mean
    group by cluster, day, group_id, member_count, topics, owners
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
    read_by_result.rate_cv
from computed
left join read_by_result
    on
        computed.cluster = read_by_result.cluster
        and computed.day = read_by_result.day
        and computed.group_id = read_by_result.group_id
        and computed.member_count = read_by_result.member_count
        and computed.topics = read_by_result.topics
        and computed.result.owners = read_by_result.owners
