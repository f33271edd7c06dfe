"""Where the logs of topics start and end."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka.protocol.consumer.offsets import ListOffsetsRequest, OffsetSpec

from spark_jobs.collect.cluster_client import ClusterClient, TopicMetadata, TopicPartition

START, END = OffsetSpec.EARLIEST, OffsetSpec.LATEST
_ANY_REPLICA = -1
_NONE = -1


@dataclass(frozen=True)
class PartitionEnds:
    """A partition that is in neither could not be read."""

    starts: Mapping[TopicPartition, int]
    ends: Mapping[TopicPartition, int]


def read_ends(client: ClusterClient, topics: Iterable[TopicMetadata]) -> PartitionEnds:
    """Where each log ends, and then where it starts: a log may be deleted up to its end in between, never further."""
    chosen = list(topics)
    ends = _offsets(client, chosen, END)
    return PartitionEnds(_offsets(client, chosen, START), ends)


def _offsets(client: ClusterClient, topics: Iterable[TopicMetadata], which: int) -> dict[TopicPartition, int]:
    by_leader: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for topic in topics:
        for partition, leader in topic.leaders.items():
            if leader is not None and leader in client.brokers:
                by_leader[leader][topic.name].append(partition)
    answers = client.send_all([(leader, _request(wanted, which)) for leader, wanted in by_leader.items()])
    return {
        (topic.name, partition.partition_index): partition.offset
        for answer in answers
        for topic in answer.topics
        for partition in topic.partitions
        if not partition.error_code and partition.offset != _NONE
    }


def _request(wanted: Mapping[str, list[int]], which: int) -> Any:
    topic_type = ListOffsetsRequest.ListOffsetsTopic
    topics = [
        topic_type(
            name=name,
            partitions=[
                topic_type.ListOffsetsPartition(partition_index=number, current_leader_epoch=-1, timestamp=int(which))
                for number in sorted(numbers)
            ],
        )
        for name, numbers in wanted.items()
    ]
    return ListOffsetsRequest(replica_id=_ANY_REPLICA, isolation_level=0, topics=topics, max_version=7)


def offsets_text(offsets: Mapping[TopicPartition, int], topics: Iterable[TopicMetadata]) -> str:
    """As kafka-get-offsets prints them, for topics that are not internal."""
    names = {topic.name for topic in topics if not topic.is_internal}
    return "".join(
        f"{name}:{partition}:{offset}\n" for (name, partition), offset in sorted(offsets.items()) if name in names
    )
