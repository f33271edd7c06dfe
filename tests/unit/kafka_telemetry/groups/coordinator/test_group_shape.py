"""Assignors that know names only by their order compute the same for the shape of a group as for the group itself."""

from support.random_groups import random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS, NAME_DEPENDENT_ASSIGNORS, assignment_metrics
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves
from kafka_telemetry.groups.coordinator.group_shape import count_moves_needed, run_assignors, shape_of


def test_only_the_order_of_names_makes_a_difference() -> None:
    for group in random_groups(300, seed=7):
        members = sorted(group.members)
        subscribed = {topic for member in members for topic in member.topics}
        partitions = {topic: count for topic, count in sorted(group.partitions.items()) if topic in subscribed}
        last_owners = {partition: member.member_id for member in members for partition in member.owned}
        last_owners |= {(topic, 0): "gone" for topic in list(partitions)[:1] if (topic, 0) not in last_owners}
        shape, names = shape_of(members, partitions, last_owners)
        results = run_assignors(shape)
        assert results.spread_possible == assignment_metrics.spread_possible(members, partitions)
        assert [result["assignor"] for result in results.what_if] == [
            name for name in ASSIGNORS if name not in NAME_DEPENDENT_ASSIGNORS
        ]
        for result in results.what_if:
            assignment = ASSIGNORS[result["assignor"]](members, partitions)
            owners = {partition: member_id for member_id, assigned in assignment.items() for partition in assigned}
            ids = [member.member_id for member in members]
            in_order = [(topic, number) for topic, count in partitions.items() for number in range(count)]
            assert [ids[position] for position in result["owners"]] == [owners[partition] for partition in in_order]
            assert result["partitions_moved"] == assignment_metrics.partitions_moved(assignment, last_owners)
            moves = fewest_moves(assignment, members, last_owners)
            assert count_moves_needed(shape, names.shorten(assignment)) == moves
