"""From where to where each partition of `__consumer_offsets` is read."""

import pytest

from spark_jobs.collect.cluster_client import TopicMetadata
from spark_jobs.collect.collect_state import CollectedPartition, CollectState
from spark_jobs.collect.offsets_topic import CopiedOffsets, ReadPlan, plan_reading
from spark_jobs.collect.partition_ends import PartitionEnds

TOPIC = "__consumer_offsets"
LEADER = 7


def planned(start: int | None, end: int | None, next_offset: int | None) -> tuple[list[ReadPlan], CopiedOffsets]:
    """Of one partition that begins at `start` and ends at `end`, after a collection up to `next_offset`."""
    partitions = {} if next_offset is None else {3: CollectedPartition(next_offset, "a.log", 10)}
    starts, ends = ({} if offset is None else {(TOPIC, 3): offset} for offset in (start, end))
    copied = CopiedOffsets()
    topic = TopicMetadata(TOPIC, True, {3: None if end is None else LEADER})
    return plan_reading(topic, PartitionEnds(starts, ends), CollectState("id", partitions), copied), copied


@pytest.mark.parametrize(
    ("start", "end", "next_offset", "begin", "note"),
    [
        (0, 90, None, 0, ""),
        (20, 90, None, 20, ""),
        (0, 90, 60, 60, ""),
        (0, 90, 90, 90, ""),
        (60, 90, 60, 60, ""),
        (70, 90, 60, 70, "starts at 70 now: 10 offsets after the last collection are gone"),
        (90, 90, 60, 90, "starts at 90 now: 30 offsets after the last collection are gone"),
        (
            5,
            90,
            91,
            5,
            "ends at 90, before the 91 of the last collection: it was made anew, and is read from its start",
        ),
    ],
)
def test_reading_goes_on_where_the_last_collection_ended(
    start: int, end: int, next_offset: int | None, begin: int, note: str
) -> None:
    plans, copied = planned(start, end, next_offset)
    assert plans == [ReadPlan(3, LEADER, begin, end)]
    assert copied.missing == []
    assert len(copied.notes) == bool(note)
    assert note in "".join(copied.notes)


@pytest.mark.parametrize(("start", "end"), [(None, None), (None, 90)])
def test_a_partition_whose_log_can_not_be_asked_is_left_for_the_next_collection(
    start: int | None, end: int | None
) -> None:
    plans, copied = planned(start, end, 60)
    assert plans == []
    assert copied.missing == ["__consumer_offsets-3 has no leader now, or a new one: the next collection reads on"]
