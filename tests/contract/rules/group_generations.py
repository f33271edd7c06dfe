"""Rows of silver.group_generations that obey a rule, break it, or can't be judged by it."""

VALID_ROW = {
    "generation": 5,
    "previous_generation": 4,
    "leader_member_id": "a",
    "member_ids": ["a", "b"],
    "contradicted": False,
}

COLUMNS = (
    "generation int, previous_generation int, leader_member_id string, member_ids array<string>, contradicted boolean"
)

# rule -> rows that break it, rows that obey it at its edge, rows that it can't judge; each as its difference from VALID_ROW
CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "one_record_per_log_position": ([{"contradicted": True}], [{}], []),
    "generation_moves_forward": (
        [{"generation": 3}],
        [{}, {"generation": 4}, {"generation": 9}],
        [{"previous_generation": None}, {"generation": None}],
    ),
    "leader_is_a_member": (
        [{"leader_member_id": "c"}, {"member_ids": []}],
        [{}, {"leader_member_id": "b"}],
        [{"leader_member_id": None, "member_ids": []}, {"member_ids": None}],
    ),
}
