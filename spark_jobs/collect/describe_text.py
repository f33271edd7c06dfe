"""Groups as `kafka-consumer-groups --describe` of Kafka 4.3 prints them."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from spark_jobs.collect.cluster_client import TopicPartition
from spark_jobs.collect.described_groups import DescribedGroup, DescribedMember

_UNKNOWN = "-"
_OFFSET_WIDTHS = {"GROUP": 15, "TOPIC": 15, "PARTITION": 10, "CURRENT-OFFSET": 15, "LOG-END-OFFSET": 15, "LAG": 15}
_OWNER_WIDTHS = {"CONSUMER-ID": 15, "HOST": 15, "CLIENT-ID": 0}
_STATE_WIDTHS = {"GROUP": 15, "COORDINATOR (ID)": 25, "ASSIGNMENT-STRATEGY": 20, "STATE": 20, "#MEMBERS": 0}
_INSTANCE = "GROUP-INSTANCE-ID"
_UPGRADED = "UPGRADED"
_MEMBER_WIDTHS = {
    "GROUP": 15,
    "CONSUMER-ID": 15,
    _INSTANCE: 17,
    "HOST": 15,
    "CLIENT-ID": 15,
    "#PARTITIONS": 15,
    "CURRENT-EPOCH": 15,
    "CURRENT-ASSIGNMENT": 20,
    "TARGET-EPOCH": 15,
    "TARGET-ASSIGNMENT": 20,
    _UPGRADED: 0,
}
# These keep their widths whatever is in them.
_FIXED = {"PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "#PARTITIONS", "CURRENT-EPOCH", "TARGET-EPOCH"}
_FIXED |= {"ASSIGNMENT-STRATEGY", "STATE"}

Row = Sequence[str]


def has_unprintable_text(group: DescribedGroup) -> bool:
    """Whether a name could be taken for another line or column of a table."""
    texts = [group.group_id, group.assignor]
    for member in group.members:
        texts += [member.member_id, member.instance_id, member.client_id, member.client_host]
    return not all(text.isprintable() for text in texts)


def offsets_table(groups: Iterable[DescribedGroup], ends: Mapping[TopicPartition, int]) -> str:
    widths = _OFFSET_WIDTHS | _OWNER_WIDTHS
    return "".join(_table(widths, rows) for group in groups if (rows := _offset_rows(group, ends)))


def members_table(groups: Iterable[DescribedGroup]) -> str:
    """With --verbose. A group without members has a header too."""
    return "".join(_members_of(group) for group in groups)


def states_table(groups: Iterable[DescribedGroup]) -> str:
    return "".join(_table(_STATE_WIDTHS, [_state_row(group)]) for group in groups)


def _offset_rows(group: DescribedGroup, ends: Mapping[TopicPartition, int]) -> list[Row]:
    owned = [(member, key) for member in group.members for key in sorted(member.assigned)]
    unowned = [(None, key) for key in sorted(group.committed.keys() - {key for _, key in owned})]
    return [_offset_row(group, member, key, ends.get(key)) for member, key in itertools.chain(owned, unowned)]


def _offset_row(group: DescribedGroup, member: DescribedMember | None, key: TopicPartition, end: int | None) -> Row:
    committed = group.committed.get(key)
    lag = end - committed if end is not None and committed is not None else None
    owner = (member.member_id, member.client_host, member.client_id) if member else (_UNKNOWN,) * 3
    return (group.group_id, key[0], str(key[1]), _number(committed), _number(end), _number(lag), *owner)


def _members_of(group: DescribedGroup) -> str:
    left_out = set()
    if not any(member.instance_id for member in group.members):
        left_out.add(_INSTANCE)
    if not {True, False} <= {member.is_upgraded for member in group.members}:
        left_out.add(_UPGRADED)
    rows = [dict(zip(_MEMBER_WIDTHS, _member_row(group, member), strict=True)) for member in group.members]
    widths = {name: width for name, width in _MEMBER_WIDTHS.items() if name not in left_out}
    return _table(widths, [[row[name] for name in widths] for row in rows])


def _member_row(group: DescribedGroup, member: DescribedMember) -> Row:
    return (
        group.group_id,
        member.member_id,
        member.instance_id,
        member.client_host,
        member.client_id,
        str(len(member.assigned)),
        _number(member.epoch),
        _assignment(member.assigned),
        _number(group.target_epoch),
        _assignment(member.target),
        _UNKNOWN if member.is_upgraded is None else str(member.is_upgraded).lower(),
    )


def _state_row(group: DescribedGroup) -> Row:
    broker = group.coordinator
    coordinator = f"{broker.host}:{broker.port}  ({broker.node_id})"
    return (group.group_id, coordinator, group.assignor or _UNKNOWN, group.state, str(len(group.members)))


def _assignment(partitions: Iterable[TopicPartition]) -> str:
    by_topic: dict[str, list[int]] = defaultdict(list)
    for topic, partition in sorted(partitions):
        by_topic[topic].append(partition)
    return ";".join(sorted(f"{topic}:{','.join(map(str, numbers))}" for topic, numbers in by_topic.items())) or _UNKNOWN


def _number(value: int | None) -> str:
    return _UNKNOWN if value is None else str(value)


def _table(widths: Mapping[str, int], rows: Sequence[Row]) -> str:
    """An empty line, the header and the rows. A column that is not fixed is as wide as its longest value."""
    wide = [
        width if name in _FIXED or not width else max([width, *(len(row[place]) for row in rows)])
        for place, (name, width) in enumerate(widths.items())
    ]
    lines = [tuple(widths), *rows]
    return "\n" + "".join(
        " ".join(text.ljust(width) for text, width in zip(line, wide, strict=True)) + "\n" for line in lines
    )
