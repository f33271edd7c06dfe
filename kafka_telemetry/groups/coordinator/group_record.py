"""A group record of the offsets topic, and the role of its key."""

from typing import Any, Literal, NamedTuple

from kafka_telemetry.formats.json_documents import decode_json, storable_json
from kafka_telemetry.formats.segments.value_validity import is_valid_value

JsonObject = dict[str, Any]

RecordRole = Literal[
    "generation",
    "member",
    "target_epoch",
    "target_assignment",
    "current_assignment",
    "regular_expression",
    "topic_names",
    "other",
]
# By key type, of classic, consumer, share and streams groups.
RECORD_ROLES: dict[int, RecordRole] = {
    **dict.fromkeys((2, 3, 11, 17), "generation"),
    **dict.fromkeys((5, 10, 19), "member"),
    **dict.fromkeys((6, 12, 20), "target_epoch"),
    **dict.fromkeys((7, 13, 21), "target_assignment"),
    **dict.fromkeys((8, 14, 22), "current_assignment"),
    16: "regular_expression",
    **dict.fromkeys((4, 9, 15), "topic_names"),
}
GROUP_TYPES = {2: "classic", 3: "consumer", 11: "share", 17: "streams"}


class RecordSource(NamedTuple):
    """The file that holds the selected copy of a record, and how many equal copies there are."""

    delivered_on: int
    source_file: str
    source_position: int | None
    copies: int


class GroupRecord(NamedTuple):
    """Times are microseconds and days are days since 1970. `value` is null for a tombstone."""

    group_id: str
    key_type: int
    member_id: str | None
    regular_expression: str | None
    value: JsonObject | None
    day: int
    recorded_at: int | None
    # Null for a copy without its offset: then it is unknown what is missing before it.
    record_offset: int | None
    # The number of holes in the log before the record.
    holes: int | None
    source: RecordSource
    # Whether a copy of higher rank has another content at this offset: then the record is counted and not replayed.
    contradicted: bool = False

    @property
    def role(self) -> RecordRole:
        return RECORD_ROLES.get(self.key_type, "other")

    @property
    def is_valid(self) -> bool:
        """Whether the fields of the value have the types that Kafka gives them."""
        return self.value is None or is_valid_value(self.key_type, self.value)

    @property
    def group_type(self) -> str:
        return GROUP_TYPES[self.key_type]


def parse_value(text: str | None, *, tombstone: bool) -> JsonObject | None:
    """A value that a dump without values did not print is empty, not deleted; so is a text that is no JSON object."""
    if tombstone:
        return None
    try:
        value, _ = decode_json(storable_json(text or "{}"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
