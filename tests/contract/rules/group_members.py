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
}

COLUMNS = (
    "protocol_type string, instance_id string, subscribed_topics array<string>,"
    "owned array<struct<topic:string,partitions:array<int>,topic_id:string>>, shared_partitions int,"
    "shares_instance boolean, members_in_generation int, partitions_in_generation int"
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
}
