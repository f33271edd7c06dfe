"""Asks the coordinators for consumer groups of both protocols: states, members, assignments, committed offsets."""

import struct
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kafka.errors import for_code
from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment

from spark_jobs.collect.cluster_client import Broker, ClusterClient, NodeRequest, TopicPartition

# A group without members that only commits has no protocol.
_CONSUMER_PROTOCOLS = ("consumer", "")
_CONSUMER_TYPES = ("consumer", "classic", "")
_GROUPS_AT_ONCE = 100
_NOT_FOUND = 69
_NOT_ALLOWED = 30
_DEAD = "Dead"
_NO_OFFSET = -1


def _message(name: str) -> Any:
    """A message that kafka-python has no definition of."""
    return types.new_class(name, (ApiMessage,), {"load_json": "spark_jobs.collect.messages"})


# Of groups of the protocol of KIP-848. The library finds the class of an answer by its number.
EpochGroupRequest = _message("ConsumerGroupDescribeRequest")
EpochGroupResponse = _message("ConsumerGroupDescribeResponse")


@dataclass(frozen=True)
class DescribedMember:
    member_id: str
    instance_id: str
    client_id: str
    client_host: str
    assigned: tuple[TopicPartition, ...]
    # Of the protocol of KIP-848.
    target: tuple[TopicPartition, ...] = ()
    epoch: int | None = None
    # Whether it uses that protocol, in a group of it; older brokers don't say.
    is_upgraded: bool | None = None


@dataclass(frozen=True)
class DescribedGroup:
    group_id: str
    coordinator: Broker
    state: str
    assignor: str
    members: tuple[DescribedMember, ...]
    target_epoch: int | None = None
    committed: Mapping[TopicPartition, int] = field(default_factory=dict)


@dataclass
class ReadGroups:
    groups: list[DescribedGroup] = field(default_factory=list)
    # Sentences about groups that could not be read.
    missing: list[str] = field(default_factory=list)

    def miss(self, group: str, code: int) -> None:
        if code == _NOT_ALLOWED:
            self.missing.append(f"group {group} may not be described: allow DESCRIBE on groups")
        else:
            self.missing.append(f"group {group} can't be described now ({for_code(code).__name__})")


def read_groups(client: ClusterClient) -> ReadGroups:
    """All consumer groups that may be described, in the order of their names, with their committed offsets."""
    found = ReadGroups()
    classic, unknown = _listed(client, found)
    if client.supports(EpochGroupRequest):
        described, not_found = _described(client, unknown, _epoch_request, _epoch_group, found)
        classic |= not_found
    else:
        described, classic = [], classic | unknown
    described += _described(client, classic, _classic_request, _classic_group, found)[0]
    found.groups = sorted(_with_offsets(client, described, found), key=lambda group: group.group_id)
    return found


def _listed(client: ClusterClient, found: ReadGroups) -> tuple[dict[str, int], dict[str, int]]:
    """Groups with the coordinator that listed them: those known to be classic, and others."""
    classic: dict[str, int] = {}
    unknown: dict[str, int] = {}
    nodes = sorted(client.brokers)
    answers = client.send_all([(node, ListGroupsRequest(states_filter=[], types_filter=[])) for node in nodes])
    for node, answer in zip(nodes, answers, strict=True):
        if answer.error_code:
            found.missing.append(f"broker {node} can't list its groups ({for_code(answer.error_code).__name__})")
        for group in answer.groups or ():
            kind = (group.group_type or "").lower()
            if group.protocol_type in _CONSUMER_PROTOCOLS and kind in _CONSUMER_TYPES:
                (classic if kind == "classic" else unknown)[group.group_id] = node
    return classic, unknown


def _described(
    client: ClusterClient,
    groups: Mapping[str, int],
    request: Callable[[list[str]], Any],
    read: Callable[[Any, Broker], DescribedGroup],
    found: ReadGroups,
) -> tuple[list[DescribedGroup], dict[str, int]]:
    """The groups that are described, and those that are not known under this protocol."""
    described, not_found = [], {}
    requests = list(_requests(groups, request))
    for (node, _), answer in zip(requests, client.send_all(requests), strict=True):
        for group in answer.groups:
            if group.error_code == _NOT_FOUND:
                not_found[group.group_id] = node
            elif group.error_code:
                found.miss(group.group_id, group.error_code)
            elif group.group_state != _DEAD:
                try:
                    described.append(read(group, client.brokers[node]))
                except (ValueError, struct.error, IndexError):
                    found.missing.append(f"group {group.group_id} has a member whose assignment can't be read")
    return described, not_found


def _requests(groups: Mapping[str, int], request: Callable[[list[str]], Any]) -> Iterable[NodeRequest]:
    by_node: dict[int, list[str]] = defaultdict(list)
    for group, node in sorted(groups.items()):
        by_node[node].append(group)
    for node, names in by_node.items():
        for first in range(0, len(names), _GROUPS_AT_ONCE):
            yield node, request(names[first : first + _GROUPS_AT_ONCE])


def _classic_request(groups: list[str]) -> Any:
    return DescribeGroupsRequest(groups=groups, include_authorized_operations=False)


def _epoch_request(groups: list[str]) -> Any:
    return EpochGroupRequest(group_ids=groups, include_authorized_operations=False)


def _classic_group(group: Any, coordinator: Broker) -> DescribedGroup:
    members = tuple(
        DescribedMember(
            member.member_id,
            member.group_instance_id or "",
            member.client_id,
            member.client_host,
            _assigned(bytes(member.member_assignment or b"")),
        )
        for member in group.members
    )
    return DescribedGroup(group.group_id, coordinator, group.group_state, group.protocol_data, members)


def _assigned(assignment: bytes) -> tuple[TopicPartition, ...]:
    if not assignment:
        return ()
    topics = ConsumerProtocolAssignment.decode(assignment).assigned_partitions
    return tuple((each.topic, partition) for each in topics for partition in each.partitions)


def _epoch_group(group: Any, coordinator: Broker) -> DescribedGroup:
    members = tuple(
        DescribedMember(
            member.member_id,
            member.instance_id or "",
            member.client_id,
            member.client_host,
            _partitions(member.assignment),
            _partitions(member.target_assignment),
            member.member_epoch,
            None if member.member_type < 0 else member.member_type == 1,
        )
        for member in group.members
    )
    return DescribedGroup(
        group.group_id, coordinator, group.group_state, group.assignor_name, members, group.assignment_epoch
    )


def _partitions(assignment: Any) -> tuple[TopicPartition, ...]:
    return tuple((each.topic_name, partition) for each in assignment.topic_partitions for partition in each.partitions)


def _with_offsets(client: ClusterClient, groups: Sequence[DescribedGroup], found: ReadGroups) -> list[DescribedGroup]:
    # Later versions name topics by their ids.
    requests = [
        (
            group.coordinator.node_id,
            OffsetFetchRequest(group_id=group.group_id, topics=None, require_stable=False, max_version=7),
        )
        for group in groups
    ]
    complete = []
    for group, answer in zip(groups, client.send_all(requests), strict=True):
        if answer.error_code:
            found.miss(group.group_id, answer.error_code)
            continue
        committed = {
            (topic.name, partition.partition_index): partition.committed_offset
            for topic in answer.topics
            for partition in topic.partitions
            if not partition.error_code and partition.committed_offset != _NO_OFFSET
        }
        complete.append(replace(group, committed=committed))
    return complete
