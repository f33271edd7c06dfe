"""The schema of records of `__consumer_offsets`, as data: the fields of every key type and every value version.

Fields are named as in the JSON of kafka-dump-log.
"""

from typing import Any, Literal, NamedTuple, TypeGuard

Primitive = Literal["int8", "int16", "uint16", "int32", "int64", "string", "bytes", "uuid"]
Json = Any


class Embedded(NamedTuple):
    """Bytes that contain a message of the consumer protocol if the group's protocol type is `consumer`."""

    message: Literal["subscription", "assignment"]


class ListOf(NamedTuple):
    item: "Type"


class Field(NamedTuple):
    name: str
    type: "Type"
    # The versions that have the field.
    first: int = 0
    last: int = 99
    nullable: bool = False
    # A tagged field is written and printed only if its value isn't the default.
    tag: int | None = None
    default: Json = None


Struct = tuple[Field, ...]
Type = Primitive | Embedded | ListOf | Struct


class ValueLayout(NamedTuple):
    versions: range
    # Flexible versions have compact lengths, and tagged fields at the end of every struct.
    flexible_from: int
    fields: Struct


def is_struct(kind: Type) -> TypeGuard[Struct]:
    return isinstance(kind, tuple) and not isinstance(kind, Embedded | ListOf)


def fields_of(schema: Struct, version: int) -> list[Field]:
    return [field for field in schema if field.first <= version <= field.last]


NO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"

_NAMES = ListOf("string")
_INTS = ListOf("int32")
_SHORTS = ListOf("int16")

_ASSIGNMENT_EPOCHS = Field("assignmentEpochs", _INTS, nullable=True, tag=0, default=[])
_ASSIGNMENT_TIMESTAMP = Field("assignmentTimestamp", "int64", tag=0, default=0)
_METADATA_HASH = Field("metadataHash", "int64")

_PARTITIONS: Struct = (Field("topicId", "uuid"), Field("partitions", _INTS))
_CURRENT_PARTITIONS: Struct = (*_PARTITIONS, _ASSIGNMENT_EPOCHS)
_TASKS: Struct = (Field("subtopologyId", "string"), Field("partitions", _INTS))
_CURRENT_TASKS: Struct = (*_TASKS, _ASSIGNMENT_EPOCHS)
_TOPIC: Struct = (Field("topicId", "uuid"), Field("topicName", "string"))
_TOPIC_AND_PARTITIONS: Struct = (*_TOPIC, Field("partitions", _INTS))
_KEY_AND_VALUE: Struct = (Field("key", "string"), Field("value", "string"))
_INTERNAL_TOPIC: Struct = (
    Field("name", "string"),
    Field("partitions", "int32"),
    Field("replicationFactor", "int16"),
    Field("topicConfigs", ListOf(_KEY_AND_VALUE)),
)

_OFFSET_COMMIT: Struct = (
    Field("offset", "int64"),
    Field("leaderEpoch", "int32", first=3),
    Field("metadata", "string"),
    Field("commitTimestamp", "int64"),
    Field("expireTimestamp", "int64", first=1, last=1),
    Field("topicId", "uuid", first=4, tag=0, default=NO_UUID),
)
_GROUP: Struct = (
    Field("protocolType", "string"),
    Field("generation", "int32"),
    Field("protocol", "string", nullable=True),
    Field("leader", "string", nullable=True),
    Field("currentStateTimestamp", "int64", first=2),
    Field(
        "members",
        ListOf(
            (
                Field("memberId", "string"),
                Field("groupInstanceId", "string", first=3, nullable=True),
                Field("clientId", "string"),
                Field("clientHost", "string"),
                Field("rebalanceTimeout", "int32", first=1),
                Field("sessionTimeout", "int32"),
                Field("subscription", Embedded("subscription")),
                Field("assignment", Embedded("assignment")),
            )
        ),
    ),
)
_PARTITION_METADATA: Struct = (
    Field(
        "topics",
        ListOf(
            (
                *_TOPIC,
                Field("numPartitions", "int32"),
                Field("partitionMetadata", ListOf((Field("partition", "int32"), Field("racks", _NAMES)))),
            )
        ),
    ),
)
_CLASSIC_MEMBER: Struct = (
    Field("sessionTimeoutMs", "int32"),
    Field("supportedProtocols", ListOf((Field("name", "string"), Field("metadata", "bytes")))),
)
_CONSUMER_MEMBER: Struct = (
    Field("instanceId", "string", nullable=True),
    Field("rackId", "string", nullable=True),
    Field("clientId", "string"),
    Field("clientHost", "string"),
    Field("subscribedTopicNames", _NAMES),
    Field("subscribedTopicRegex", "string", nullable=True),
    Field("rebalanceTimeoutMs", "int32"),
    Field("serverAssignor", "string", nullable=True),
    Field(
        "classicMemberMetadata",
        _CLASSIC_MEMBER,
        nullable=True,
        tag=0,
        # Null isn't the default, so a member that uses the consumer protocol always has the tag.
        default={"sessionTimeoutMs": 0, "supportedProtocols": []},
    ),
)
# The early access release 3.7 had client-side assignors.
_METADATA_OF_3_7: Struct = (Field("metadataVersion", "int16"), Field("metadataBytes", "bytes"))
_ASSIGNORS_OF_3_7 = Field(
    "assignors",
    ListOf(
        (
            Field("name", "string"),
            Field("minimumVersion", "int16"),
            Field("maximumVersion", "int16"),
            Field("reason", "int8"),
            Field("version", "int16"),
            Field("metadata", "bytes"),
        )
    ),
)
_SHARE_MEMBER: Struct = (
    Field("rackId", "string", nullable=True),
    Field("clientId", "string"),
    Field("clientHost", "string"),
    Field("subscribedTopicNames", _NAMES),
)
_STREAMS_MEMBER: Struct = (
    Field("instanceId", "string", nullable=True),
    Field("rackId", "string", nullable=True),
    Field("clientId", "string"),
    Field("clientHost", "string"),
    Field("rebalanceTimeoutMs", "int32"),
    Field("topologyEpoch", "int32"),
    Field("processId", "string"),
    Field("userEndpoint", (Field("host", "string"), Field("port", "uint16")), nullable=True),
    Field("clientTags", ListOf(_KEY_AND_VALUE)),
)
_STREAMS_GROUP: Struct = (
    Field("epoch", "int32"),
    _METADATA_HASH,
    Field("validatedTopologyEpoch", "int32", tag=0, default=-1),
    Field("lastAssignmentConfigs", ListOf(_KEY_AND_VALUE), nullable=True, tag=1, default=[]),
    Field("storedDescriptionTopologyEpoch", "int32", tag=2, default=-1),
    Field("failedDescriptionTopologyEpoch", "int32", tag=3, default=-1),
)
_MEMBER_EPOCHS: Struct = (
    Field("memberEpoch", "int32"),
    Field("previousMemberEpoch", "int32"),
    Field("state", "int8"),
)
_TOPOLOGY: Struct = (
    Field("epoch", "int32"),
    Field(
        "subtopologies",
        ListOf(
            (
                Field("subtopologyId", "string"),
                Field("sourceTopics", _NAMES),
                Field("sourceTopicRegex", _NAMES),
                Field("stateChangelogTopics", ListOf(_INTERNAL_TOPIC)),
                Field("repartitionSinkTopics", _NAMES),
                Field("repartitionSourceTopics", ListOf(_INTERNAL_TOPIC)),
                Field(
                    "copartitionGroups",
                    ListOf(
                        (
                            Field("sourceTopics", _SHORTS),
                            Field("sourceTopicRegex", _SHORTS),
                            Field("repartitionSourceTopics", _SHORTS),
                        )
                    ),
                ),
            )
        ),
    ),
)
_SHARE_STATE: Struct = (
    Field("initializedTopics", ListOf(_TOPIC_AND_PARTITIONS)),
    Field("deletingTopics", ListOf(_TOPIC)),
)


def _only(*fields: Field) -> ValueLayout:
    return ValueLayout(range(1), 0, fields)


_TARGET_METADATA = _only(Field("assignmentEpoch", "int32"), _ASSIGNMENT_TIMESTAMP)
_TARGET_PARTITIONS = _only(Field("topicPartitions", ListOf(_PARTITIONS)))
_OFFSETS = ValueLayout(range(5), 4, _OFFSET_COMMIT)

GROUP_KEY: Struct = (Field("groupId", "string"),)
MEMBER_KEY: Struct = (Field("groupId", "string"), Field("memberId", "string"))
_OFFSET_KEY: Struct = (Field("group", "string"), Field("topic", "string"), Field("partition", "int32"))

# Keys are never flexible.
KEYS: dict[int, Struct] = {
    **dict.fromkeys((0, 1), _OFFSET_KEY),
    2: (Field("group", "string"),),
    **dict.fromkeys((3, 4, 6, 9, 11, 12, 15, 17, 18, 20, 23), GROUP_KEY),
    **dict.fromkeys((5, 7, 8, 10, 13, 14, 19, 21, 22), MEMBER_KEY),
    16: (Field("groupId", "string"), Field("regularExpression", "string")),
}

# A type has several layouts where Kafka changed the fields but not the version. The first one that fits exactly is used.
VALUES: dict[int, tuple[ValueLayout, ...]] = {
    0: (_OFFSETS,),
    1: (_OFFSETS,),
    2: (ValueLayout(range(5), 4, _GROUP),),
    3: (_only(Field("epoch", "int32"), Field("metadataHash", "int64", tag=0, default=0)),),
    4: (_only(*_PARTITION_METADATA), _only(Field("epoch", "int32"), *_PARTITION_METADATA)),
    5: (_only(*_CONSUMER_MEMBER), _only(*_CONSUMER_MEMBER[:-1], _ASSIGNORS_OF_3_7)),
    6: (_TARGET_METADATA,),
    7: (
        _TARGET_PARTITIONS,
        _only(Field("error", "int8"), Field("topicPartitions", ListOf(_PARTITIONS)), *_METADATA_OF_3_7),
    ),
    8: (
        _only(
            *_MEMBER_EPOCHS,
            Field("assignedPartitions", ListOf(_CURRENT_PARTITIONS)),
            Field("partitionsPendingRevocation", ListOf(_CURRENT_PARTITIONS)),
        ),
        _only(
            Field("memberEpoch", "int32"),
            Field("previousMemberEpoch", "int32"),
            Field("targetMemberEpoch", "int32"),
            Field("assignedPartitions", ListOf(_PARTITIONS)),
            Field("partitionsPendingRevocation", ListOf(_PARTITIONS)),
            Field("partitionsPendingAssignment", ListOf(_PARTITIONS)),
            Field("error", "int8"),
            *_METADATA_OF_3_7,
        ),
    ),
    9: (_only(*_SHARE_STATE), _only(*_PARTITION_METADATA)),
    10: (_only(*_SHARE_MEMBER),),
    11: (_only(Field("epoch", "int32"), _METADATA_HASH), _only(Field("epoch", "int32"))),
    12: (_TARGET_METADATA,),
    13: (_TARGET_PARTITIONS,),
    14: (_only(*_MEMBER_EPOCHS, Field("assignedPartitions", ListOf(_PARTITIONS))),),
    15: (
        _only(Field("initializingTopics", ListOf(_TOPIC_AND_PARTITIONS)), *_SHARE_STATE),
        _only(*_SHARE_STATE),
    ),
    16: (_only(Field("topics", _NAMES), Field("version", "int64"), Field("timestamp", "int64")),),
    17: (_only(*_STREAMS_GROUP),),
    18: (_only(*_PARTITION_METADATA),),
    19: (_only(*_STREAMS_MEMBER),),
    20: (_TARGET_METADATA,),
    21: (
        _only(
            Field("activeTasks", ListOf(_TASKS)),
            Field("standbyTasks", ListOf(_TASKS)),
            Field("warmupTasks", ListOf(_TASKS)),
        ),
    ),
    22: (
        _only(
            *_MEMBER_EPOCHS,
            Field("activeTasks", ListOf(_CURRENT_TASKS)),
            Field("standbyTasks", ListOf(_CURRENT_TASKS)),
            Field("warmupTasks", ListOf(_CURRENT_TASKS)),
            Field("activeTasksPendingRevocation", ListOf(_CURRENT_TASKS)),
            Field("standbyTasksPendingRevocation", ListOf(_CURRENT_TASKS)),
            Field("warmupTasksPendingRevocation", ListOf(_CURRENT_TASKS)),
        ),
    ),
    23: (_only(*_TOPOLOGY),),
}

_OWNED = ListOf((Field("topic", "string"), Field("partitions", _INTS)))

# Messages of the consumer protocol. New versions only append fields, so a later version is read as the newest known one.
EMBEDDED: dict[str, ValueLayout] = {
    "subscription": ValueLayout(
        range(4),
        99,
        (
            Field("topics", _NAMES),
            Field("userData", "bytes", nullable=True),
            Field("ownedPartitions", _OWNED, first=1),
            Field("generationId", "int32", first=2),
            Field("rackId", "string", first=3, nullable=True),
        ),
    ),
    "assignment": ValueLayout(
        range(4),
        99,
        (Field("assignedPartitions", _OWNED), Field("userData", "bytes", nullable=True)),
    ),
}
