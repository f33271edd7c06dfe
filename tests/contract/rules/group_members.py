"""Rows of silver.group_members that obey a rule, break it, or can't be judged by it."""

VALID_ROW = {
    "protocol_type": "consumer",
    "instance_id": None,
    "subscribed_topics": ["t"],
    "owned": [("t", [0, 1], None)],
    "shared_partitions": 0,
    "shares_instance": False,
    "members_in_generation": 2,
    "partitions_in_generation": 2,
    "unassigned_partitions": 0,
    "computed": [("t", [1, 0])],
    "replaces": [],
    "previous_member_id": None,
    "rebalance_reason": "member_joined",
}

COLUMNS = (
    "protocol_type string, instance_id string, subscribed_topics array<string>,"
    "owned array<struct<topic:string,partitions:array<int>,topic_id:string>>, shared_partitions int,"
    "shares_instance boolean, members_in_generation int, partitions_in_generation int, unassigned_partitions bigint,"
    "computed array<struct<topic:string,partitions:array<int>>>, replaces array<string>, previous_member_id string,"
    "rebalance_reason string"
)

_IDLE: dict[str, object] = {"owned": []}

# rule -> rows that break it, rows that obey it at its edge, rows that it can't judge; each as its difference from VALID_ROW
CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "partition_has_one_owner": (
        [{"shared_partitions": 1}],
        [{}, _IDLE],
        [{"owned": None}, {"protocol_type": "share", "shared_partitions": 2}],
    ),
    "owner_is_subscribed": (
        [{"subscribed_topics": ["other"]}, {"subscribed_topics": []}],
        [{}, _IDLE, {"subscribed_topics": ["other"], "owned": [(None, [0], "an-id")]}],
        [{"subscribed_topics": None}, {"owned": None}, {"protocol_type": "connect"}],
    ),
    "instance_id_is_unique": ([{"shares_instance": True}], [{}], [{"shares_instance": None}]),
    "members_do_not_outnumber_partitions": (
        [{**_IDLE, "members_in_generation": 3}],
        [{}, _IDLE, {"members_in_generation": 3}],
        [{"owned": None}, {"protocol_type": "share"}, {**_IDLE, "partitions_in_generation": None}],
    ),
    "every_partition_has_an_owner": (
        [{"unassigned_partitions": 1}],
        [{}, _IDLE],
        [{"unassigned_partitions": None}, {"protocol_type": "share", "unassigned_partitions": 1}],
    ),
    "assignment_is_what_the_assignor_computes": (
        [{"owned": [("t", [0, 2], None)]}, {"owned": [("u", [0, 1], None)]}, _IDLE, {"computed": []}],
        [{}, {**_IDLE, "computed": []}, {"owned": [("t", [0], None), ("t", [1], None)]}],
        [{"owned": None}, {"computed": None}],
    ),
    "static_rejoin_keeps_the_generation": (
        [{"instance_id": "i", "previous_member_id": "i-1", "rebalance_reason": "static_member_changed"}],
        [
            # Another member joined as it returned.
            {"instance_id": "i", "previous_member_id": "i-1"},
            {"instance_id": "i", "replaces": ["i-1"]},
        ],
        [
            {},
            {"instance_id": "i"},
            {"instance_id": "i", "previous_member_id": "i-1", "rebalance_reason": None},
            {"instance_id": "i", "previous_member_id": "i-1", "rebalance_reason": "unknown"},
        ],
    ),
}
