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
        topic="The offsets topic is a log",
        source="KIP-101: leader epochs decide between replicas of a log",
        action="reject",
        remedy="Find out which of the files belongs to another cluster or partition, and deliver it there",
    ),
    Rule(
        name="generation_moves_forward",
        table=_GENERATIONS,
        broken_when="generation < previous_generation",
        because="the coordinator counts generations up, so without a hole in the log a lower one can't follow",
        topic="Generations",
        source="Kafka protocol guide, group membership: generations",
        action="reject",
        remedy="Find out which file belongs to another cluster: records of two logs were mixed",
    ),
    Rule(
        name="leader_is_a_member",
        table=_GENERATIONS,
        broken_when="not array_contains(member_ids, leader_member_id)",
        because="the leader of a group is one of its members and computes the assignment",
        topic="The group leader assigns",
        source="Kafka protocol guide, group membership: the group leader",
        action="reject",
        remedy="Deliver the dump again; if the records are really so, restart the group",
    ),
    Rule(
        name="partition_has_one_owner",
        table=_MEMBERS,
        broken_when="case when protocol_type = 'consumer' and owned is not null then shared_partitions > 0 end",
        because="each partition is assigned to exactly one member of a group",
        topic="Each partition has one owner",
        source="KafkaConsumer Javadoc: consumer groups and topic subscriptions",
        action="reject",
        remedy="Check the custom assignor, or deliver the dump again: two members would process the same records",
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
        topic="Each partition has one owner",
        source="ConsumerPartitionAssignor Javadoc: assign",
        action="reject",
        remedy="Check the custom assignor, and that all members subscribe to the same topics",
    ),
    Rule(
        name="instance_id_is_unique",
        table=_MEMBERS,
        broken_when="shares_instance",
        because="a static member is identified by its group.instance.id, and the broker fences a second one",
        topic="Static membership",
        source="KIP-345: static membership",
        action="reject",
        remedy="Give each member its own group.instance.id",
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
        topic="More consumers than partitions",
        source="KafkaConsumer Javadoc: consumer groups and topic subscriptions",
        action="warn",
        remedy="Stop the members that are idle, or add partitions",
    ),
    Rule(
        name="every_partition_has_an_owner",
        table=_MEMBERS,
        broken_when="case when protocol_type = 'consumer' then unassigned_partitions > 0 end",
        because="records of a partition that is assigned to nobody are not read, while the group looks healthy",
        topic="Each partition has one owner",
        source="ConsumerPartitionAssignor Javadoc: assign",
        action="warn",
        remedy="Check the custom assignor, or let the group rebalance: restart one member",
    ),
    Rule(
        name="assignment_is_what_the_assignor_computes",
        table=_MEMBERS,
        broken_when="""
            case when owned is not null and computed is not null then
                array_sort(flatten(transform(owned, of -> transform(of.partitions, p -> struct(of.topic, p)))))
                <> array_sort(flatten(transform(computed, of -> transform(of.partitions, p -> struct(of.topic, p)))))
            end""",
        because="range and round-robin leave no choice, so another assignment shows another assignor under their name, or a leader with outdated metadata",
        topic="Range and round-robin",
        source="RangeAssignor and RoundRobinAssignor Javadoc",
        action="warn",
        remedy="Use one client library and version in the whole group; another library may compute another range",
    ),
    Rule(
        name="static_rejoin_keeps_the_generation",
        table=_MEMBERS,
        broken_when="""
            case
                when previous_member_id is not null then nullif(rebalance_reason, 'unknown') = 'static_member_changed'
                when instance_id is not null and size(replaces) > 0 then false
            end""",
        because="a static member that returns within its session timeout gets its partitions back without a rebalance",
        topic="Static membership",
        source="KIP-345: static membership",
        action="warn",
        remedy="Restart static members one after the other, with the same partition.assignment.strategy, and not during a rebalance",
        on="accepted",
    ),
)
