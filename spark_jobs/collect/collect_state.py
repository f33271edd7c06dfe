"""Where the next collection of a cluster goes on, as JSON with explicit names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

_VERSION = 1


class UnreadableStateError(ValueError):
    """It was written by a newer version of Lagoon, or damaged."""


@dataclass(frozen=True)
class CollectedPartition:
    next_offset: int
    # The file that the last records were written to, relative to landing, and its size when they were.
    file: str
    size: int


@dataclass(frozen=True)
class CollectState:
    cluster_id: str
    partitions: Mapping[int, CollectedPartition] = field(default_factory=dict)


def encode_state(state: CollectState) -> bytes:
    partitions = {
        str(number): {"next_offset": each.next_offset, "file": each.file, "size": each.size}
        for number, each in sorted(state.partitions.items())
    }
    document = {"version": _VERSION, "cluster_id": state.cluster_id, "partitions": partitions}
    return json.dumps(document, indent=1).encode()


def decode_state(content: bytes) -> CollectState:
    try:
        document = json.loads(content)
        if document["version"] != _VERSION:
            raise UnreadableStateError(f"it has version {document['version']!r}")
        partitions = {
            int(number): CollectedPartition(int(each["next_offset"]), str(each["file"]), int(each["size"]))
            for number, each in document["partitions"].items()
        }
        return CollectState(str(document["cluster_id"]), partitions)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise error if isinstance(error, UnreadableStateError) else UnreadableStateError("it is damaged") from error
