"""What must be true of silver.group_generations and silver.group_members."""

from expectations.rule import Rule

_GENERATIONS = "silver.group_generations"
_MEMBERS = "silver.group_members"

GROUP_RULES = (
    Rule(
        name="one_record_per_log_position",
        table=_GENERATIONS,
        broken_when="contradicted",
        because="__consumer_offsets is a log: a place in it holds one record, that of the highest leader epoch",
        source="C1, C2 position",
        action="reject",
    ),
    Rule(
        name="generation_moves_forward",
        table=_GENERATIONS,
        broken_when="generation < previous_generation",
        because="the coordinator counts generations up; one that falls with no hole in the log can't have been",
        source="C2 generation",
        action="reject",
    ),
    Rule(
        name="leader_is_a_member",
        table=_GENERATIONS,
        broken_when="not array_contains(member_ids, leader_member_id)",
        because="the leader of a group computes the assignment of its members, of whom it is one",
        source="C1, C2 leader",
        action="reject",
    ),
    Rule(
        name="partition_has_one_owner",
        table=_MEMBERS,
        broken_when="case when protocol_type = 'consumer' and owned is not null then shared_partitions > 0 end",
        because="each partition is read by exactly one member of a group",
        source="C1, C2 assignment",
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
        because="an assignor gives a member partitions of the topics that it subscribes to and of no others",
        source="C1, C2 assignment",
        action="reject",
    ),
    Rule(
        name="instance_id_is_unique",
        table=_MEMBERS,
        broken_when="shares_instance",
        because="a static member is known by its instance: the broker fences the second one",
        source="C2 static membership",
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
        because="with more consumers than partitions some sit idle",
        source="C1, C2 assignment",
        action="warn",
    ),
)
