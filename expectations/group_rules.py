"""Rules on silver.group_generations and silver.group_members."""

from expectations.rule import Rule

_GENERATIONS = "silver.group_generations"
_MEMBERS = "silver.group_members"

GROUP_RULES = (
    Rule(
        name="one_record_per_log_position",
        table=_GENERATIONS,
        broken_when="contradicted",
        because="an offset of __consumer_offsets holds one record; between two replicas the higher leader epoch wins",
        source="KIP-101: leader epochs decide between replicas of a log",
        action="reject",
    ),
    Rule(
        name="generation_moves_forward",
        table=_GENERATIONS,
        broken_when="generation < previous_generation",
        because="the coordinator counts generations up, so without a hole in the log a lower one can't follow",
        source="Kafka protocol guide, group membership: generations",
        action="reject",
    ),
    Rule(
        name="leader_is_a_member",
        table=_GENERATIONS,
        broken_when="not array_contains(member_ids, leader_member_id)",
        because="the leader of a group is one of its members and computes the assignment",
        source="Kafka protocol guide, group membership: the group leader",
        action="reject",
    ),
    Rule(
        name="partition_has_one_owner",
        table=_MEMBERS,
        broken_when="case when protocol_type = 'consumer' and owned is not null then shared_partitions > 0 end",
        because="each partition is assigned to exactly one member of a group",
        source="KafkaConsumer Javadoc: consumer groups and topic subscriptions",
        action="reject",
    ),
    Rule(
        name="owner_is_subscribed",
        table=_MEMBERS,
        broken_when="""
            case when protocol_type = 'consumer' then exists(
                owned,
                of -> of.topic is not null and size(of.partitions) > 0
                    and not array_contains(subscribed_topics, of.topic))
            end""",
        because="an assignor gives a member partitions only of topics that it subscribes to",
        source="ConsumerPartitionAssignor Javadoc: assign",
        action="reject",
    ),
    Rule(
        name="instance_id_is_unique",
        table=_MEMBERS,
        broken_when="shares_instance",
        because="a static member is identified by its group.instance.id, and the broker fences a second one",
        source="KIP-345: static membership",
        action="reject",
    ),
    Rule(
        name="members_do_not_outnumber_partitions",
        table=_MEMBERS,
        broken_when="""
            case when protocol_type = 'consumer' and owned is not null then
                size(flatten(transform(owned, of -> of.partitions))) = 0
                and members_in_generation > partitions_in_generation
            end""",
        because="if a group has more members than partitions, some members are idle",
        source="KafkaConsumer Javadoc: consumer groups and topic subscriptions",
        action="warn",
    ),
)
