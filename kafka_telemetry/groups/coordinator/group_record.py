"""A group record, and what its key is about."""

import json
from typing import Any, NamedTuple

Json = dict[str, Any]

# By what a key is about: the key types of classic, consumer, share and streams groups.
ROLES = {
    key_type: role
    for role, key_types in {
        "generation": (2, 3, 11, 17),
        "member": (5, 10, 19),
        "target_epoch": (6, 12, 20),
        "target": (7, 13, 21),
        "current": (8, 14, 22),
        "pattern": (16,),
        "names": (4, 9, 15),
    }.items()
    for key_type in key_types
}
GROUP_TYPES = {2: "classic", 3: "consumer", 11: "share", 17: "streams"}


class Place(NamedTuple):
    """Where the copy of a record that is kept was found, and how many equal ones it stands for."""

    delivered_on: int
    source_file: str
    source_position: int | None
    copies: int


class GroupRecord(NamedTuple):
    """Times are microseconds and days are days, both since 1970. `value` is null for a tombstone."""

    group_id: str
    key_type: int
    member_id: str | None
    pattern: str | None
    value: Json | None
    day: int
    recorded_at: int | None
    # Null for a copy that does not say where in the log it stands; nobody knows then what is missing before it.
    record_offset: int | None
    # Counts the holes of the log before the record.
    holes: int | None
    place: Place
    # Whether a copy of higher rank says something else at this position: it is counted, and not followed.
    contradicted: bool = False

    @property
    def role(self) -> str:
        return ROLES.get(self.key_type, "other")

    @property
    def group_type(self) -> str:
        return GROUP_TYPES[self.key_type]


def value_of(text: str | None, *, tombstone: bool) -> Json | None:
    """A value that a poorer dump did not print is empty, not deleted."""
    if tombstone:
        return None
    return dict(json.loads(text)) if text else {}
