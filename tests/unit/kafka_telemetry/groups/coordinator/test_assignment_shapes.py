"""A group asked about by its shape gets the answers that it gets by its names."""

from support.random_groups import random_groups

from kafka_telemetry.groups import assignors
from kafka_telemetry.groups.assignors import measures
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves
from kafka_telemetry.groups.coordinator import assignment_shapes


def test_names_make_no_difference_but_by_their_order() -> None:
    for of in random_groups(300, seed=7):
        group = sorted(of.members)
        wanted = {topic for member in group for topic in member.topics}
        partitions = {topic: count for topic, count in sorted(of.partitions.items()) if topic in wanted}
        had = {place: member.member_id for member in group for place in member.owned}
        had |= {(topic, 0): "gone" for topic in list(partitions)[:1] if (topic, 0) not in had}
        shape, names = assignment_shapes.shape_of(group, partitions, had)
        answers = assignment_shapes.answers(shape)
        assert answers.spread_possible == measures.spread_possible(group, partitions)
        for answer, assignor in zip(answers.what_if, assignors.ASSIGNORS.values(), strict=True):
            given = assignor(group, partitions)
            owner = {place: member_id for member_id, places in given.items() for place in places}
            ids = [member.member_id for member in group]
            told = [(topic, number) for topic, count in partitions.items() for number in range(count)]
            assert [ids[place] for place in answer["owners"]] == [owner[place] for place in told]
            assert answer["partitions_moved"] == measures.partitions_moved(given, had)
            assert assignment_shapes.moves_needed(shape, names.of(given)) == fewest_moves(given, group, had)
